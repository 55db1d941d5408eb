//! Where does a request go?

use super::super::error::ProviderError;

/// Returns the address of `path` below the base URL of a server.
///
/// `path` starts with its version, as in `/v1/embeddings`. A base URL may end with that version too; both forms are
/// common.
pub fn join(base: &str, path: &str) -> Result<String, ProviderError> {
    let bad = |reason| ProviderError::BadBaseUrl { url: without_user(base), reason };
    let base = base.trim().trim_end_matches('/');
    let Some((scheme, rest)) = base.split_once("://") else {
        return Err(bad("it must start with http:// or https://"));
    };
    if !["http", "https"].contains(&scheme) {
        return Err(bad("only http and https are supported"));
    }
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return Err(bad("it must not contain a name or a key; pass --api-key"));
    }
    if host.is_empty() || base.contains(['?', '#']) || base.contains(|letter: char| letter.is_whitespace()) {
        return Err(bad("it must be a host, optionally with a port and a path"));
    }
    let version = path.split('/').nth(1).unwrap_or_default();
    let path = match rest.strip_suffix(version) {
        Some(before) if before.ends_with('/') => &path[1 + version.len()..],
        _ => path,
    };
    Ok(format!("{base}{path}"))
}

fn without_user(url: &str) -> String {
    match url.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => url.to_owned(),
    }
}

/// Whether the address is on this machine, which a proxy cannot reach.
pub fn is_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    ["localhost", "127.", "[::1]"].iter().any(|own| host.starts_with(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_understood_with_and_without_its_version() {
        for base in ["https://api.test", "https://api.test/", "https://api.test/v1", " https://api.test/v1/ "]
        {
            assert_eq!(join(base, "/v1/embeddings").unwrap(), "https://api.test/v1/embeddings", "{base}");
        }
        assert_eq!(join("http://x:1/proxy/v1", "/v1/embeddings").unwrap(), "http://x:1/proxy/v1/embeddings");
        assert_eq!(join("http://apiv1", "/v1/embeddings").unwrap(), "http://apiv1/v1/embeddings");
        assert_eq!(join("http://x:1", "/api/embed").unwrap(), "http://x:1/api/embed");
    }

    #[test]
    fn what_is_no_base_is_refused_without_showing_a_password() {
        for base in ["api.test", "ftp://api.test", "https://", "https://a b", "https://api.test?key=1", ""] {
            assert!(join(base, "/v1/embeddings").is_err(), "{base}");
        }
        let error = join("https://me:hunter2@api.test", "/v1/embeddings").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        assert!(is_this_machine("http://127.0.0.1:8080/v1"));
        assert!(is_this_machine("http://localhost/v1"));
        assert!(is_this_machine("http://[::1]:1/v1"));
        assert!(!is_this_machine("https://api.test/127.0.0.1"));
    }
}
