//! Who is answered? Only clients that asked for this machine by one of its loopback names.

use super::Refusal;
use hyper::header::{self, HeaderMap};
use hyper::{Uri, Version};

/// Refuses requests that a page of another site made.
///
/// Such a page can reach this server through a name of its own that resolves to 127.0.0.1 (DNS rebinding). Its requests
/// then carry that name as their host.
pub fn check_host(headers: &HeaderMap, uri: &Uri, version: Version) -> Result<(), Refusal> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let is_local_header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(is_local),
        // HTTP/1.0 has no Host header, and no browser speaks it.
        (None, None) if version < Version::HTTP_11 => true,
        _ => return Err(Refusal::BadRequest),
    };
    let is_local_target = match (uri.scheme(), uri.authority()) {
        (_, None) => true,
        (Some(_), Some(authority)) => is_local(authority.as_str()),
        (None, Some(_)) => return Err(Refusal::BadRequest),
    };
    if is_local_header && is_local_target { Ok(()) } else { Err(Refusal::Forbidden) }
}

/// Whether a host is this machine: one of its loopback names, and possibly a port number.
fn is_local(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        let Some((start, rest)) = host.split_at_checked(name.len()) else { return false };
        let is_port =
            |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn checked(target: &str, hosts: &[&str]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_str(host).unwrap());
        }
        check_host(&headers, &target.parse().unwrap(), Version::HTTP_11)
    }

    #[test]
    fn only_loopback_names_with_an_optional_numeric_port_are_local() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:8080"] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost:evil.example",
            "localhost:80.evil.example",
            "localhost.evil.example",
            "localhost:",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "127.0.0.1.evil.example",
            "127.0.0.2",
            "[::1",
            "[::1]x",
            "::1",
            "localhost@evil.example",
            "user@localhost",
            "localhosté",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }

    #[test]
    fn requests_for_another_host_are_refused() {
        assert_eq!(checked("/", &["localhost:80"]), Ok(()));
        assert_eq!(checked("http://localhost/", &["localhost"]), Ok(()));
        assert_eq!(checked("/", &["evil.example"]), Err(Refusal::Forbidden));
        assert_eq!(checked("http://evil.example/", &["localhost"]), Err(Refusal::Forbidden));
        assert_eq!(checked("/", &[]), Err(Refusal::BadRequest));
        assert_eq!(checked("/", &["localhost", "evil.example"]), Err(Refusal::BadRequest));
        assert_eq!(checked("secret.txt", &["localhost"]), Err(Refusal::BadRequest));
    }
}
