//! How is a list of issues with a value reported in one line?

/// The label of issues with the value as a whole.
const ROOT: &str = "(root)";

/// Formats issues, each given as a path and a message (P6): `limit: must be 1 to 100; mode: unknown, required`.
///
/// The parts of a path are joined with dots. An empty path stands for the value as a whole and is shown as `(root)`.
/// Messages with the same path are grouped, in the order in which the paths first occur. No issues give an empty
/// string.
///
/// ```
/// use snapseek::issues::format_issues;
///
/// let about = |path: &[&str], message: &str| (path.iter().map(|part| part.to_string()).collect(), message.to_string());
/// let issues = [about(&["limit"], "must be 1 to 100"), about(&[], "too large"), about(&["limit"], "must be whole")];
/// assert_eq!(format_issues(&issues), "limit: must be 1 to 100, must be whole; (root): too large");
/// ```
pub fn format_issues(issues: &[(Vec<String>, String)]) -> String {
    let mut fields: Vec<(String, Vec<&str>)> = Vec::new();
    for (path, message) in issues {
        let field = if path.is_empty() { ROOT.to_owned() } else { path.join(".") };
        match fields.iter_mut().find(|(known, _)| *known == field) {
            Some((_, messages)) => messages.push(message),
            None => fields.push((field, vec![message])),
        }
    }
    let lines = fields.iter().map(|(field, messages)| format!("{field}: {}", messages.join(", ")));
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(issues: &[(&[&str], &str)]) -> String {
        let owned = |(path, message): &(&[&str], &str)| {
            (path.iter().map(|part| part.to_string()).collect(), message.to_string())
        };
        format_issues(&issues.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn p6_messages_of_a_field_are_joined_by_commas_and_fields_by_semicolons() {
        let issues: [(&[&str], &str); 3] =
            [(&["limit"], "must be 1 to 100"), (&["mode"], "unknown mode \"fuzzy\""), (&["limit"], "odd")];
        assert_eq!(formatted(&issues), "limit: must be 1 to 100, odd; mode: unknown mode \"fuzzy\"");
    }

    #[test]
    fn p6_a_nested_path_is_joined_with_dots() {
        assert_eq!(formatted(&[(&["filter", "tags", "0"], "not a string")]), "filter.tags.0: not a string");
    }

    #[test]
    fn p6_an_issue_of_the_whole_object_is_labelled_root() {
        assert_eq!(formatted(&[(&[], "expected an object")]), "(root): expected an object");
    }

    #[test]
    fn p6_no_issues_give_an_empty_line() {
        assert_eq!(formatted(&[]), "");
    }
}
