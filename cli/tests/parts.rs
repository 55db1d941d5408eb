//! Snapshots as folders of parts, on the command line. `js/test/parts.test.mjs` tests what reads them.

mod support;

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use support::Folder;

/// Writes records; those in `edited` have another text.
fn records(count: usize, edited: impl Fn(usize) -> bool) -> String {
    let line = |i: usize| {
        let words = (0..60).map(|word| format!("w{}", (i * 7919 + word * word * 104_729) % 9973));
        let words = words.collect::<Vec<_>>().join(" ");
        let end = if edited(i) { " and more" } else { "" };
        format!("{{\"id\":\"r{i:05}\",\"title\":\"number {i}\",\"body\":\"{words}{end}\"}}\n")
    };
    (0..count).map(line).collect()
}

/// Returns the hashes that the entry file of `search/` lists, after it has checked their files.
#[track_caller]
fn listed(folder: &Folder) -> Vec<String> {
    let entry = serde_json::from_slice::<Value>(&folder.bytes("search/snapseek.json")).unwrap();
    let hash = |part: &Value| {
        let (hash, len) = (part[0].as_str().unwrap(), part[1].as_u64().unwrap());
        let bytes = folder.bytes(&format!("search/{hash}.part"));
        assert_eq!(bytes.len() as u64, len);
        assert_eq!(format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes)), hash);
        hash.to_owned()
    };
    entry["parts"].as_array().unwrap().iter().map(hash).collect()
}

fn files(folder: &Folder) -> HashSet<String> {
    let names = fs::read_dir(folder.path("search")).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn build(folder: &Folder, records: &str) -> String {
    folder.write("a.jsonl", records);
    folder.run(&["build", "a.jsonl", "-o", "search/", "--parts", "16KiB"]).expect_code(0).stderr
}

#[test]
fn the_parts_in_order_are_the_snapshot_and_the_first_is_its_head() {
    let folder = Folder::new();
    let told = build(&folder, &records(2000, |_| false));
    folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(0);
    let parts = listed(&folder);
    let bytes =
        parts.iter().flat_map(|hash| folder.bytes(&format!("search/{hash}.part"))).collect::<Vec<_>>();
    let whole = folder.bytes("a.snap");
    assert!(bytes == whole, "{} and {} bytes", bytes.len(), whole.len());
    let head = u64::from_le_bytes(whole[32..40].try_into().unwrap());
    assert_eq!(folder.bytes(&format!("search/{}.part", parts[0])).len() as u64, head);
    let count = parts.len();
    assert!(count > 10 && told.contains(&format!("in {count} parts, {count} of them new")), "{told}");
    assert_eq!(files(&folder).len(), count + 1);
}

#[test]
fn parts_of_the_build_before_stay_and_older_ones_are_removed() {
    let folder = Folder::new();
    build(&folder, &records(500, |_| false));
    let first = listed(&folder);
    build(&folder, &records(500, |i| i == 400));
    let second = listed(&folder);
    let part = |hash: &String| format!("{hash}.part");
    assert!(first.iter().chain(&second).map(part).all(|name| files(&folder).contains(&name)));
    folder.write("search/ffffffffffffffff.part", "not listed");
    build(&folder, &records(500, |i| i == 300));
    let third = listed(&folder);
    let kept = second.iter().chain(&third).map(part).collect::<HashSet<_>>();
    let others = files(&folder).difference(&kept).cloned().collect::<HashSet<_>>();
    assert_eq!(others, ["ffffffffffffffff.part", "snapseek.json"].map(str::to_owned).into());
}

#[test]
fn few_parts_change_with_one_record_and_none_without_a_change() {
    let folder = Folder::new();
    build(&folder, &records(2000, |_| false));
    let before = listed(&folder).into_iter().collect::<HashSet<_>>();
    let told = build(&folder, &records(2000, |_| false));
    assert!(told.contains(" 0 of them new"), "{told}");
    build(&folder, &records(2000, |i| i == 1000));
    let after = listed(&folder);
    let new = after.iter().filter(|hash| !before.contains(*hash)).count();
    assert!(new * 2 < after.len(), "{new} of {} parts are new", after.len());
}

#[test]
fn a_folder_with_another_entry_file_is_left_alone() {
    let folder = Folder::new();
    folder.write("a.jsonl", records(5, |_| false));
    folder.write("search/snapseek.json", "{\"mine\": true}");
    let refused = folder.run(&["build", "a.jsonl", "-o", "search", "--parts", "64KiB"]).expect_code(2);
    assert!(refused.stderr.contains("is not the entry file of a snapshot"), "{}", refused.stderr);
    folder.run(&["build", "a.jsonl", "-o", "search", "--parts", "64KiB", "--force"]).expect_code(0);
    for size in ["1KiB", "5MiB", "many"] {
        folder.run(&["build", "a.jsonl", "-o", "search", "--parts", size]).expect_code(2);
    }
    folder.run(&["build", "a.jsonl", "-o", "search", "--parts", "64KiB", "--split-docs"]).expect_code(2);
}
