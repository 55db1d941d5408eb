//! Vectors on the command line: their sources, searches with them, and the quality of results.

mod loopback;
mod support;

use loopback::{Act, Loopback};
use serde_json::{Value, json};
use support::{Folder, Ran};

const RECORDS: &str = r#"{"id":"north","title":"polar bear","group":"cold"}
{"id":"east","title":"red panda","group":"warm"}
{"id":"between","title":"brown bear","group":"cold"}
"#;

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder.write("a.f32", floats(&[0.0, 1.0, 1.0, 0.0, 1.0, 1.0]));
    folder.write("q.f32", floats(&[1.0, 0.1]));
    folder
}

impl Folder {
    fn found(&self, args: &[&str]) -> Vec<String> {
        let json = self.run(&[&["search", "a.snap"], args, &["--json"]].concat()).expect_code(0).stdout;
        let response: Value = serde_json::from_str(&json).unwrap();
        response["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["id"].as_str().unwrap().to_owned())
            .collect()
    }

    fn embedded(&self, server: &Loopback, more: &[&str]) -> Ran {
        let args =
            ["a.jsonl", "--embed", "openai", "--embed-base-url", &server.url(), "--api-key", "sk-hush"];
        self.build(&[&args[..], &["--embed-cache", "cache"], more].concat())
    }
}

#[test]
fn vectors_in_a_file_belong_to_the_records_in_their_order() {
    let folder = folder();
    for encoding in ["f32", "i8", "i1"] {
        folder.build(&["a.jsonl", "--vectors", "plane=a.f32", "--encoding", encoding]).expect_code(0);
        assert_eq!(
            folder.found(&["", "--mode", "vector", "--vector", "q.f32"]),
            ["east", "between", "north"]
        );
        let inspected = folder.run(&["inspect", "a.snap"]).expect_code(0).stdout;
        assert!(inspected.contains(&format!("3 × 2 {encoding}, cosine")), "{inspected}");
        folder.run(&["verify", "a.snap"]).expect_code(0);
    }
    folder.write("q.json", "[0.1, 1]");
    assert_eq!(folder.found(&["bear", "--vector", "q.json", "--filter", r#"{"id":"between"}"#]), ["between"]);
    let explained =
        folder.run(&["search", "a.snap", "bear", "--vector", "q.json", "--explain"]).expect_code(0);
    assert!(explained.stdout.contains(" = vector "), "{}", explained.stdout);
}

#[test]
fn a_file_with_too_few_or_too_many_vectors_is_refused() {
    let folder = folder();
    folder.write("schema.json", r#"{"fields":{"title":{}},"vectors":{"plane":{"width":2}}}"#);
    let build =
        |file: &str| folder.build(&["a.jsonl", "--schema", "schema.json", "--vectors", file]).expect_code(1);
    folder.write("few.f32", floats(&[1.0, 2.0]));
    build("plane=few.f32").expect_stderr("few.f32 has 1 vectors; there is none for record 2");
    folder.write("many.f32", floats(&[1.0; 8]));
    build("plane=many.f32").expect_stderr("many.f32 has 4 vectors; there are 3 records");
    folder.write("odd.f32", floats(&[1.0; 7]));
    folder.build(&["a.jsonl", "--vectors", "plane=odd.f32"]).expect_code(1).expect_stderr("odd.f32");
    folder
        .build(&["a.jsonl", "--vectors", "odd.f32"])
        .expect_code(2)
        .expect_stderr("such as minilm=vectors.f32");
    assert!(!folder.path("a.snap").exists());
}

#[test]
fn a_model_of_the_schema_keeps_its_trust_when_an_embedder_fills_it() {
    let folder = folder();
    folder.write("s.toml", "[fields]\ntitle = {}\n[vectors.hash]\ntrust = 0.4\n");
    folder.build(&["a.jsonl", "--schema", "s.toml", "--embed", "hash"]).expect_code(0);
    let inspected = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
    assert_eq!(inspected["schema"]["vectors"]["hash"]["trust"], 0.4);
    assert_eq!(inspected["schema"]["vectors"]["hash"]["embedder"], "hash");
}

#[test]
fn vectors_in_a_field_are_found_by_and_not_stored() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":1,\"title\":\"x\",\"v\":[0,1]}\n{\"id\":2,\"title\":\"y\",\"v\":[1,0]}\n{\"id\":3,\"title\":\"z\"}\n");
    folder.write("s.toml", "[fields]\ntitle = {}\n[vectors.own]\nfield = \"v\"\nencoding = \"f32\"\n");
    let records = folder.records(&["a.jsonl", "--schema", "s.toml"]);
    assert!(records.iter().all(|record| record.get("v").is_none()));
    folder.write("q.json", "[1, 0.2]");
    assert_eq!(folder.found(&["", "--mode", "vector", "--vector", "q.json"]), ["2", "1"]);
    folder.write("bad.jsonl", "{\"id\":1,\"title\":\"x\",\"v\":[0,0]}\n");
    let bad = folder.build(&["bad.jsonl", "--schema", "s.toml"]).expect_code(1);
    bad.expect_stderr(
        "bad.jsonl:1: record \"1\": its vector for \"own\" cannot be used: it has no direction",
    );
}

#[test]
fn vectors_on_lines_of_their_own_are_those_of_their_records_on_any_number_of_threads() {
    let folder = Folder::new();
    let (mut lines, mut carrying) = (String::new(), String::new());
    for id in 0..2000 {
        let vector = json!([id % 17 + 1, id % 5, 3]);
        let record = json!({"id": id, "title": "a bear ".repeat(60)});
        // Put each vector as far from its record as possible.
        lines += &format!(
            "{}\n",
            json!({"$": "vector", "id": 1999 - id, "vector": [(1999 - id) % 17 + 1, (1999 - id) % 5, 3]})
        );
        lines += &format!("{record}\n");
        let mut record = record;
        record["v"] = vector;
        carrying += &format!("{record}\n");
    }
    folder.write("lines.jsonl", lines);
    folder.write("carrying.jsonl", carrying);
    folder.write("s.toml", "[fields]\ntitle = {}\n[vectors.own]\nfield = \"v\"\n");
    let built = |file: &str, threads: &str| {
        folder.build(&[file, "--schema", "s.toml", "--threads", threads, "--force"]).expect_code(0);
        std::fs::read(folder.path("a.snap")).unwrap()
    };
    let expected = built("carrying.jsonl", "1");
    for threads in ["1", "4"] {
        assert!(built("lines.jsonl", threads) == expected, "{threads} threads");
    }
    folder.write("stray.jsonl", "{\"$\":\"vector\",\"id\":1,\"vector\":[1]}\n{\"id\":2,\"title\":\"x\"}\n");
    folder
        .build(&["stray.jsonl", "--schema", "s.toml", "--force"])
        .expect_code(0)
        .expect_stderr("1 vector skipped: there is no such record");
}

#[test]
fn the_hash_embedder_travels_with_the_snapshot() {
    let folder = folder();
    folder.build(&["a.jsonl", "--embed", "hash:64"]).expect_code(0);
    assert_eq!(folder.found(&["polar bears", "--mode", "vector"])[0], "north");
    let inspected: Value =
        serde_json::from_str(&folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).stdout).unwrap();
    let model = &inspected["models"][0];
    assert_eq!((&model["id"], &model["embedder"]), (&"snapseek-hash-v1-64".into(), &"hash".into()));
    folder.build(&["a.jsonl", "--embed", "hash:many"]).expect_code(2).expect_stderr("a width from 1 to 4096");
    folder.build(&["a.jsonl", "--embed", "static:nowhere"]).expect_code(1).expect_stderr("nowhere");
}

/// Writes the folder `model`: words for vehicles and animals, four values of 2 bits each.
fn write_static_model(folder: &Folder) {
    let words = [
        ("car", [3, 3, -1, -1]),
        ("auto", [3, 3, -1, 1]),
        ("truck", [3, 3, 1, -1]),
        ("van", [3, 1, -1, -1]),
        ("bus", [1, 3, -1, -1]),
        ("cat", [-3, -3, 1, 3]),
        ("lion", [-3, -3, 1, 1]),
        ("dog", [-3, -3, 3, 1]),
    ];
    let vocabulary = words.iter().enumerate().map(|(number, (word, _))| (word.to_string(), json!(number)));
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary.collect::<serde_json::Map<_, _>>()},
    });
    let packed = |(_, row): &(&str, [i32; 4])| {
        row.iter().zip([0, 2, 4, 6]).map(|(value, shift)| ((value + 3) / 2) << shift).sum::<i32>() as u8
    };
    let header = json!({
        "embeddings.2bit": {"dtype": "U8", "shape": [8, 1], "data_offsets": [0, 8]},
        "weights": {"dtype": "F32", "shape": [8], "data_offsets": [8, 40]},
    });
    let header = header.to_string();
    let rows = words.iter().map(packed).collect::<Vec<_>>();
    let table = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &rows, &floats(&[0.5; 8])].concat();
    std::fs::create_dir(folder.path("model")).unwrap();
    folder.write("model/tokenizer.json", tokenizer.to_string());
    folder.write("model/model.safetensors", table);
}

#[test]
fn the_vocabulary_of_the_records_keeps_the_words_nearest_to_theirs() {
    let folder = Folder::new();
    write_static_model(&folder);
    folder.write("a.jsonl", "{\"id\":\"red\",\"title\":\"my red car\"}\n");
    let found = |query: &str| folder.found(&[query, "--mode", "vector"]);
    let tables = || {
        let inspected = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
        let sections = inspected["sections"].as_array().unwrap().clone();
        let section = sections.into_iter().find(|section| section["name"] == "embedders").unwrap();
        section["bytes"].as_u64().unwrap()
    };
    folder.build(&["a.jsonl", "--embed", "static:model"]).expect_code(0);
    assert_eq!(found("auto"), ["red"]);
    let whole = tables();
    folder.build(&["a.jsonl", "--embed", "static:model", "--corpus-vocabulary", "--force"]).expect_code(0);
    assert!(tables() < whole);
    for query in ["car", "auto", "truck", "van", "bus"] {
        assert_eq!(found(query), ["red"], "{query}");
    }
    assert_eq!(found("lion"), Vec::<String>::new(), "a lion is far from a car");
    folder.run(&["verify", "a.snap"]).expect_code(0);
}

#[test]
fn a_static_model_in_one_file_gives_the_bytes_that_its_folder_gives() {
    let folder = Folder::new();
    write_static_model(&folder);
    folder.write("a.jsonl", "{\"id\":\"red\",\"title\":\"my red car\"}\n");
    folder.build(&["a.jsonl", "--embed", "static:model"]).expect_code(0);
    let expected = folder.bytes("a.snap");
    folder.run(&["model", "model", "-o", "words.model"]).expect_code(0).expect_stderr("8 tokens");
    folder.build(&["a.jsonl", "--embed", "static:words.model"]).expect_code(0);
    assert!(folder.bytes("a.snap") == expected);
    folder.run(&["model", "model", "-o", "a.jsonl"]).expect_code(2).expect_stderr("not a static model");
    let mut damaged = folder.bytes("words.model");
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("words.model", damaged);
    folder.build(&["a.jsonl", "--embed", "static:words.model"]).expect_code(1).expect_stderr("it is damaged");
}

#[test]
fn a_model_of_the_schema_that_is_static_takes_the_table_of_the_command_line_or_the_english_one() {
    let folder = Folder::new();
    write_static_model(&folder);
    folder.write("a.jsonl", "{\"id\":\"red\",\"title\":\"my red car\"}\n");
    folder.write(
        "schema.toml",
        "[fields]\ntitle = {}\n[vectors.words]\nembedder = \"static\"\nencoding = \"f32\"\n",
    );
    let model = |args: &[&str]| {
        folder.build(&[&["a.jsonl", "--schema", "schema.toml"], args].concat()).expect_code(0);
        let inspected = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
        let models = inspected["schema"]["vectors"].as_object().unwrap().clone();
        assert_eq!(models.keys().collect::<Vec<_>>(), ["words"]);
        (models["words"]["id"].as_str().unwrap().to_owned(), models["words"]["encoding"].clone())
    };
    assert_eq!(model(&["--embed", "static:model"]), ("model".to_owned(), json!("f32")));
    // The binary of the tests is within the repository, whose models/ it finds.
    assert_eq!(model(&[]), ("snapseek-static-en-v2".to_owned(), json!("f32")));
}

#[test]
fn a_provider_embeds_each_text_once_and_a_rebuild_only_what_changed() {
    let (folder, server) = (folder(), Loopback::honest());
    folder.embedded(&server, &[]).expect_code(0);
    let texts =
        |server: &Loopback| server.requests().iter().flat_map(|request| request.texts()).collect::<Vec<_>>();
    assert_eq!(texts(&server).len(), 3);
    folder.write("a.jsonl", RECORDS.replace("red panda", "red fox"));
    let again = folder.embedded(&server, &[]).expect_code(0).expect_stderr("1 text embedded");
    assert_eq!(texts(&server)[3..], ["red fox\nwarm"]);
    assert!(!again.stderr.contains("hush"));
    let inspected = folder.run(&["inspect", "a.snap"]).expect_code(0).stdout;
    assert!(inspected.contains("openai:text-embedding-3-small"), "{inspected}");
}

#[test]
fn v15_a_provider_that_cannot_start_leaves_a_snapshot_without_vectors_unless_strict() {
    let refuses = |request: &loopback::Request| {
        let key = request.authorization.clone().unwrap_or_default();
        Act::Status(401, "", format!("{{\"error\":{{\"message\":\"bad key {key}\"}}}}"))
    };
    let (folder, server) = (folder(), Loopback::start(refuses));
    let built = folder.embedded(&server, &[]).expect_code(0).expect_stderr("there will be no vectors");
    assert!(!built.stderr.contains("hush"), "{}", built.stderr);
    assert_eq!(folder.found(&["panda"]), ["east"]);
    let args = ["build", "a.jsonl", "-o", "c.snap", "--embed", "openai", "--embed-base-url", &server.url()];
    let strict = folder.run(&[&args[..], &["--api-key", "sk-hush", "--strict", "--no-embed-cache"]].concat());
    let strict = strict.expect_code(1);
    assert!(!strict.stderr.contains("hush") && !folder.path("c.snap").exists(), "{}", strict.stderr);
}

fn input_types(server: &Loopback) -> Vec<String> {
    let input_type =
        |request: &loopback::Request| request.body["input_type"].as_str().unwrap_or("-").to_owned();
    server.requests().iter().map(input_type).collect()
}

#[test]
fn v15_a_schema_file_names_the_provider_and_its_keys_stay_in_it() {
    let (folder, server) = (folder(), Loopback::honest());
    let table = format!(
        "provider = \"voyage\"\nmodel = \"lite\"\napiKey = \"sk-hush-one\"\nkeys = [\"sk-hush-two\"]\nbaseUrl = \"{}\"\nbatchSize = 2\n",
        server.url()
    );
    folder.write("snapseek.toml", format!("[fields]\ntitle = {{}}\n[embedding]\n{table}"));
    let json = json!({"fields": {"title": {}}, "embedding": {
        "provider": "voyage", "model": "lite", "apiKey": "sk-hush-one", "baseUrl": server.url(), "batchSize": 2,
    }});
    folder.write("snapseek.json", json.to_string());
    for (schema, requests) in [("snapseek.toml", 2), ("snapseek.json", 4)] {
        let cache = format!("cache of {schema}");
        let ran =
            folder.build(&["a.jsonl", "--schema", schema, "--embed-cache", &cache, "--embed-parallel", "1"]);
        let ran = ran.expect_code(0).expect_stderr("voyage:lite: 3 texts embedded");
        assert!(!ran.stderr.contains("hush") && !ran.stdout.contains("hush"), "{}", ran.stderr);
        // The first text is embedded alone, to check the provider; the other two are a batch.
        assert_eq!(server.requests().len(), requests);
        let snapshot = folder.bytes("a.snap");
        for secret in ["hush", "apiKey", "baseUrl", &server.url()] {
            assert!(!snapshot.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret}");
        }
        let inspected = folder.run(&["inspect", "a.snap"]).expect_code(0).stdout;
        assert!(inspected.contains("voyage:lite") && !inspected.contains("hush"), "{inspected}");
    }
    assert_eq!(server.keys()[0], "sk-hush-one");
    assert!(input_types(&server).iter().all(|input_type| input_type == "document"));
    let ran =
        folder.build(&["a.jsonl", "--schema", "snapseek.toml", "--api-key", "sk-mine", "--no-embed-cache"]);
    ran.expect_code(0);
    assert_eq!(server.keys().last().unwrap(), "sk-mine");
    assert!(
        folder
            .build(&["a.jsonl", "--schema", "snapseek.toml", "--embed", "hash"])
            .expect_code(0)
            .stderr
            .contains("a.snap")
    );
}

#[test]
fn v15_mistakes_in_the_embedding_table_are_told_without_its_values() {
    let folder = folder();
    let cases = [
        (
            "provider = \"openai\"\nmodell = \"x\"\n",
            "embedding.modell: unknown option; there are provider, model, apiKey, keys, baseUrl, batchSize",
        ),
        ("apiKey = \"sk-hush\"\n", "embedding.provider is missing; it is one of bert, hash, ollama"),
        ("provider = \"openai\"\nkeys = \"sk-hush\"\n", "embedding.keys: must be an array of texts"),
        ("provider = \"openai\"\napiKey = sk-hush\n", "s.toml is not a schema: TOML parse error at line 5"),
        ("provider = \"openai\"\napiKey = \"sk-hush\n", "s.toml is not a schema: TOML parse error at line 5"),
    ];
    for (table, message) in cases {
        folder.write("s.toml", format!("[fields]\ntitle = {{}}\n[embedding]\n{table}"));
        let ran = folder.build(&["a.jsonl", "--schema", "s.toml"]).expect_code(1).expect_stderr(message);
        assert!(!ran.stderr.contains("hush"), "{}", ran.stderr);
    }
}

#[test]
fn v15_queries_are_embedded_by_the_provider_as_queries() {
    let vector = |text: String| if text.contains("panda") { json!([0, 1]) } else { json!([1, 0]) };
    let server = Loopback::start(move |request| {
        let vectors = request.texts().into_iter().map(vector).enumerate();
        let data = vectors.map(|(index, vector)| json!({"index": index, "embedding": vector}));
        Act::Instead(json!({"data": data.collect::<Vec<_>>()}).to_string())
    });
    let folder = folder();
    let embed = ["--embed", "voyage:lite", "--embed-base-url", &server.url(), "--no-embed-cache"];
    folder.build(&[&["a.jsonl"], &embed[..]].concat()).expect_code(0);
    assert!(input_types(&server).iter().all(|input_type| input_type == "document"));
    let before = server.requests().len();
    let query = "a small panda";
    assert_eq!(folder.found(&[&[query, "--mode", "vector"], &embed[..]].concat())[0], "east");
    assert_eq!(input_types(&server)[before..], ["query"]);
    assert_eq!(server.requests()[before].texts(), [query]);

    folder.write("q.jsonl", "{\"id\":\"q1\",\"text\":\"a small panda\"}\n{\"id\":\"q2\",\"text\":\" \"}\n");
    folder.write("q.tsv", "q1\teast\t1\n");
    let args = ["eval", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--json"];
    let args = [&args[..], &embed[..]].concat();
    let figures: Value = serde_json::from_str(&folder.run(&args).expect_code(0).stdout).unwrap();
    assert_eq!(figures["mrr@10"], 1.0);
    assert_eq!(input_types(&server)[before + 1..], ["query"]);
    assert_eq!(server.requests()[before + 1].texts(), [query]);
}

#[test]
fn v15_a_provider_whose_vectors_the_snapshot_lacks_is_refused_for_queries() {
    let (folder, server) = (folder(), Loopback::honest());
    let url = ["--embed-base-url", &server.url(), "--no-embed-cache"];
    folder.build(&[&["a.jsonl", "--embed", "voyage:lite"], &url[..]].concat()).expect_code(0);
    let search = |more: &[&str]| folder.run(&[&["search", "a.snap", "panda"], more].concat());
    let ran = search(&[&["--embed", "openai"], &url[..]].concat()).expect_code(2);
    ran.expect_stderr(
        "the snapshot's vectors are of voyage:lite, and --embed gives vectors of openai:text-embedding-3-small, \
         which cannot be compared; pass --embed voyage:lite",
    );
    search(&["--embed", "hash"]).expect_code(2).expect_stderr("leave --embed out");
    search(&["--api-key", "sk-hush"]).expect_code(2).expect_stderr("--api-key is for an embedding provider");
    let both = search(&["--embed", "voyage:lite", "--vector", "q.f32"]).expect_code(2);
    both.expect_stderr("--vector and --embed both give the query's vector; pass one");
}

#[test]
fn v15_a_search_goes_on_by_words_when_the_provider_fails_unless_strict() {
    let (folder, honest) = (folder(), Loopback::honest());
    let refuses = Loopback::start(|_| Act::Status(401, "", "{}".to_owned()));
    folder.build(&["a.jsonl", "--embed", "voyage:lite", "--embed-base-url", &honest.url()]).expect_code(0);
    let args = [
        "panda",
        "--embed",
        "voyage:lite",
        "--embed-base-url",
        &refuses.url(),
        "--api-key",
        "sk-hush",
        "--no-embed-cache",
    ];
    assert_eq!(folder.found(&args), ["east"]);
    let ran = folder.run(&[&["search", "a.snap"], &args[..]].concat()).expect_code(0);
    let ran =
        ran.expect_stderr("warning: queries are searched without vectors; pass --strict to stop instead");
    assert!(!ran.stderr.contains("hush"), "{}", ran.stderr);
    folder.run(&[&["search", "a.snap", "--strict"], &args[..]].concat()).expect_code(1);
}

#[test]
fn eval_prints_the_figures_of_trec_eval() {
    let folder = folder();
    folder.write("s.json", r#"{"fields":{"title":{}},"attributes":{"group":"keyword"}}"#);
    folder.build(&["a.jsonl", "--schema", "s.json", "--vectors", "plane=a.f32"]).expect_code(0);
    folder.write("q.jsonl", "{\"id\":\"q1\",\"text\":\"bear\",\"group\":\"cold\"}\n{\"id\":\"q2\",\"text\":\"panda\",\"group\":\"cold\"}\n");
    folder.write("q.tsv", "query-id\tcorpus-id\tscore\nq1\tbetween\t1\nq2\teast\t1\n");
    folder.write("qv.f32", floats(&[0.9, 1.0, 1.0, 0.0]));
    let eval = |more: &[&str]| -> Value {
        let args = ["eval", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--json"];
        serde_json::from_str(&folder.run(&[&args[..], more].concat()).expect_code(0).stdout).unwrap()
    };
    let vectors = ["--query-vectors", "plane=qv.f32"];
    let figures = eval(&[&vectors[..], &["--mode", "vector"]].concat());
    assert_eq!(
        figures,
        json!({"ndcg@10": 1.0, "recall@10": 1.0, "recall@100": 1.0, "mrr@10": 1.0, "empty": 0.0, "queries": 2})
    );
    // The panda is not in the group "cold".
    let same = eval(&[&vectors[..], &["--mode", "vector", "--same", "group", "--per-query"]].concat());
    assert_eq!((&same["ndcg@10"], &same["perQuery"][1]["mrr@10"]), (&0.5.into(), &0.0.into()));
    assert_eq!(eval(&["--mode", "keyword"])["mrr@10"], 0.75);
    let shown =
        folder.run(&["eval", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--mode", "keyword"]);
    assert!(shown.expect_code(0).stdout.contains("2 queries"));
    let few =
        ["eval", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--query-vectors", "plane=q.f32"];
    folder.run(&few).expect_code(1).expect_stderr("q.f32");
}
