//! Which tests hold each requirement? Writes `docs/requirements.md` from the names of the tests.
//!
//! A test names its requirements at the start of its own name: `p3_p4_…`, `inv_003_…`, `acceptance_7_…`, `edge_2_…`,
//! `r_chunks_…` in Rust; `P3, P4: …`, `INV-003: …`, `A7: …`, `R-chunks: …` in JavaScript.

use crate::root;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::process::Command;

const REQUIREMENTS: &str = "scripts/requirements.tsv";
const PAGE: &str = "docs/requirements.md";
const HEAD: &str = "# Requirements and their tests\n\n`cargo xtask gen-requirements` writes this page from the names of the \
    tests. Each number links to the requirement in `docs/spec/`.\n";
/// The pages of `docs/spec/`, each at its own number. The first word of a heading in the list names its page.
const SPECS: [&str; 5] = ["primitives", "memory", "rag", "unified", "vault"];

/// A test that names a requirement.
#[derive(Debug, PartialEq)]
struct NamedTest {
    requirements: Vec<String>,
    /// The rest of its name, as a sentence.
    sentence: String,
}

/// A line of the list of requirements. A heading knows the page in `docs/` that states the requirements below it.
enum Line<'a> {
    Heading { title: &'a str, spec: String },
    Requirement { number: &'a str, text: &'a str },
}

/// Writes the page, or with `is_check` compares it with the committed one.
///
/// # Errors
/// With `is_check`: when the page differs, a test names an unknown requirement, or a requirement has no test and
/// `allow_missing` is false.
pub(crate) fn run(is_check: bool, allow_missing: bool) -> Result<(), Box<dyn Error>> {
    let list = fs::read_to_string(root().join(REQUIREMENTS))?;
    let lines: Vec<Line> = list.lines().map(line).collect::<Result<_, _>>()?;
    let mut links: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in &lines {
        if let Line::Requirement { number, .. } = line {
            links.insert(number, Vec::new());
        }
    }

    let mut problems = Vec::new();
    for (file, test) in tests()? {
        for number in &test.requirements {
            match links.get_mut(number.as_str()) {
                Some(found) => found.push(format!("[{}](../{file})", escaped(&test.sentence))),
                None => problems.push(format!("{file}: there is no requirement {number}: {}", test.sentence)),
            }
        }
    }
    // In the order of the list, not of the map.
    let missing: Vec<&str> = lines.iter().filter_map(|line| without_test(line, &links)).collect();
    if !missing.is_empty() {
        println!("without a test, {} of {}: {}", missing.len(), links.len(), missing.join(" "));
        if !allow_missing {
            problems.push("some requirements have no test".into());
        }
    }

    let page = page(&lines, &links);
    let path = root().join(PAGE);
    if !is_check {
        return Ok(fs::write(path, page)?);
    }
    if fs::read_to_string(path).ok().as_deref() != Some(&page) {
        problems.push(format!("{PAGE} is not up to date; run cargo xtask gen-requirements"));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\nxtask: ").into()) }
}

fn line(text: &str) -> Result<Line<'_>, String> {
    if let Some(title) = text.strip_prefix("# ") {
        let word = title.split(':').next().unwrap_or(title).to_lowercase();
        let number = SPECS.iter().position(|name| *name == word);
        let number =
            number.ok_or_else(|| format!("{REQUIREMENTS}: no page of docs/spec/ is named {word}"))?;
        return Ok(Line::Heading { title, spec: format!("spec/{number}-{word}.md") });
    }
    let (number, text) =
        text.split_once('\t').ok_or_else(|| format!("{REQUIREMENTS}: no tab after the number: {text}"))?;
    Ok(Line::Requirement { number, text })
}

fn without_test<'a>(line: &Line<'a>, links: &BTreeMap<&str, Vec<String>>) -> Option<&'a str> {
    match line {
        Line::Requirement { number, .. } if links[number].is_empty() => Some(number),
        _ => None,
    }
}

fn page(lines: &[Line], links: &BTreeMap<&str, Vec<String>>) -> String {
    let mut page = String::from(HEAD);
    let mut spec_page = "";
    for line in lines {
        match line {
            Line::Heading { title, spec } => {
                spec_page = spec;
                page += &format!("\n## {title}\n\n| | Requirement | Tests |\n|---|---|---|\n");
            }
            Line::Requirement { number, text } => {
                let tests = if links[number].is_empty() { "none".into() } else { links[number].join("<br>") };
                let anchor = number.to_lowercase();
                page += &format!("| [{number}]({spec_page}#{anchor}) | {text} | {tests} |\n");
            }
        }
    }
    page
}

/// A sentence with the characters escaped that mean something in a table of links.
fn escaped(sentence: &str) -> String {
    let mut out = String::new();
    for character in sentence.chars() {
        if "[]|<>\\".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Every test that names a requirement, with its file, in the order of the files' paths.
fn tests() -> Result<Vec<(String, NamedTest)>, Box<dyn Error>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.rs", "*.mjs"];
    let listed = Command::new("git").args(list).current_dir(root()).output()?;
    if !listed.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim()).into());
    }
    let listed = String::from_utf8(listed.stdout)?;
    let mut files: Vec<&str> = listed.split_terminator('\0').collect();
    files.sort_unstable();
    files.dedup();
    let mut all = Vec::new();
    for file in files {
        let path = root().join(file);
        // git lists files that were deleted and not committed yet.
        if !path.exists() {
            continue;
        }
        let text = fs::read_to_string(path)?;
        let named = if file.ends_with(".rs") { rust_tests(&text) } else { javascript_tests(&text) };
        all.extend(named.into_iter().map(|test| (file.to_string(), test)));
    }
    Ok(all)
}

fn rust_tests(text: &str) -> Vec<NamedTest> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("#[") {
        rest = &rest[start + 2..];
        let Some(mut item) = rest.strip_prefix("test]").or_else(|| rest.strip_prefix("wasm_bindgen_test]"))
        else {
            continue;
        };
        item = item.trim_start();
        while let Some((_, after)) = item.strip_prefix("#[").and_then(|attribute| attribute.split_once(']')) {
            item = after.trim_start();
        }
        let Some(item) = item.strip_prefix("async ").unwrap_or(item).strip_prefix("fn ") else { continue };
        let end = item.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(item.len());
        let (requirements, name) = rust_name(&item[..end]);
        if !requirements.is_empty() {
            found.push(NamedTest { requirements, sentence: name.replace('_', " ") });
        }
    }
    found
}

/// The requirements that the name of a function starts with, and the rest of the name.
fn rust_name(mut name: &str) -> (Vec<String>, &str) {
    let mut requirements = Vec::new();
    while let Some((requirement, rest)) = rust_requirement(name) {
        requirements.push(requirement);
        name = rest;
    }
    (requirements, name)
}

fn rust_requirement(name: &str) -> Option<(String, &str)> {
    let (first, rest) = name.split_once('_')?;
    if let ("r", Some((part @ ("chunks" | "sources" | "hash"), rest))) = (first, rest.split_once('_')) {
        return Some((format!("R-{part}"), rest));
    }
    if matches!(first, "inv" | "gotcha" | "edge" | "acceptance") {
        let (digits, rest) = rest.split_once('_')?;
        let number: u32 = digits.parse().ok()?;
        let requirement = match first {
            "acceptance" => format!("A{number}"),
            "edge" => format!("EDGE-{number}"),
            _ => format!("{}-{number:03}", first.to_uppercase()),
        };
        return Some((requirement, rest));
    }
    let (letter, digits) = first.split_at_checked(1)?;
    let number: u32 = digits.parse().ok()?;
    "pmruv".contains(letter).then(|| (format!("{}{number}", letter.to_uppercase()), rest))
}

fn javascript_tests(text: &str) -> Vec<NamedTest> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('(') {
        let before = &text[..at];
        let Some(before) = before.strip_suffix("test").or_else(|| before.strip_suffix("it")) else {
            continue;
        };
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        if let Some(test) = title(text[at + 1..].trim_start()).and_then(javascript_name) {
            found.push(test);
        }
    }
    found
}

/// The string that a text starts with, where a comma follows it: the title of a test.
fn title(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    let text = text[1..].lines().next()?;
    let ends = text.match_indices(quote).map(|(end, _)| end);
    ends.into_iter().find(|end| text[end + 1..].trim_start().starts_with(',')).map(|end| &text[..end])
}

fn javascript_name(title: &str) -> Option<NamedTest> {
    let (numbers, sentence) = title.split_once(": ")?;
    let requirements: Vec<String> =
        numbers.split(' ').map(|number| number.strip_suffix(',').unwrap_or(number).to_string()).collect();
    requirements
        .iter()
        .all(|number| is_requirement(number))
        .then(|| NamedTest { requirements, sentence: sentence.to_string() })
}

/// Whether it has the form of a requirement's number: `P3`, `INV-003`, `R-chunks`.
fn is_requirement(number: &str) -> bool {
    if let Some(part) = number.strip_prefix("R-")
        && !part.is_empty()
        && part.bytes().all(|byte| byte.is_ascii_lowercase())
    {
        return true;
    }
    let digits = number.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = number.len() - digits.len();
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    letters > 0 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(requirements: &[&str], sentence: &str) -> NamedTest {
        let requirements = requirements.iter().map(ToString::to_string).collect();
        NamedTest { requirements, sentence: sentence.into() }
    }

    #[test]
    fn rust_tests_name_requirements_at_the_start_of_their_names() {
        let text = "#[test]\nfn p3_p12_lists_fuse() {}\n#[wasm_bindgen_test]\n#[cfg(x)]\nasync fn inv_3_it_holds() {}\n\
                    #[test]\nfn acceptance_7_works() {}\n#[test]\nfn r_chunks_overlap() {}\n#[test]\nfn plain() {}";
        let wanted = [
            named(&["P3", "P12"], "lists fuse"),
            named(&["INV-003"], "it holds"),
            named(&["A7"], "works"),
            named(&["R-chunks"], "overlap"),
        ];
        assert_eq!(rust_tests(text), wanted);
    }

    #[test]
    fn javascript_tests_name_requirements_before_a_colon() {
        let text = "test(\"P3, P4: lists, \\\"fused\\\"\", () => {});\nit('EDGE-2 R-hash: it holds', f);\n\
                    test(\"plain: no number\", f);\nunit(\"P1: no test\", f);";
        let wanted = [named(&["P3", "P4"], "lists, \\\"fused\\\""), named(&["EDGE-2", "R-hash"], "it holds")];
        assert_eq!(javascript_tests(text), wanted);
    }
}
