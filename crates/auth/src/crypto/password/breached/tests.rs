use std::fmt::Write as _;
use std::fs;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

use super::{BreachedError, BreachedList, sha1_hex};
use crate::crypto::password::{PasswordPolicy, PasswordPolicyError};

const POLICY: PasswordPolicy<'_> = PasswordPolicy {
    min_length: 6,
    required_characters: &[],
    max_bytes: PasswordPolicy::MAX_BYTES,
};

/// Returns the lines of a list, sorted, each hash with its count.
fn list(passwords: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<_> = (1..)
        .zip(passwords)
        .map(|(count, password)| format!("{}:{count}", sha1_hex(&password)))
        .collect();
    lines.sort();
    lines
}

async fn is_pwned(breached: &BreachedList, password: &str) -> bool {
    let weakness = POLICY.check(password, Some(breached)).await.unwrap();
    weakness.is_some_and(|weakness| weakness.reasons.contains(&"pwned"))
}

#[test]
fn the_hash_is_sha1_in_capitals() {
    assert_eq!(
        sha1_hex("password"),
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8"
    );
}

#[tokio::test]
async fn every_line_of_a_sorted_file_is_found_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for (count, end) in [
        (1, "\n"),
        (2, "\r\n"),
        (30, "\n"),
        (2000, "\r\n"),
        (2000, "\n"),
    ] {
        let path = folder.path().join("list.txt");
        let lines = list((0..count).map(|number| format!("password{number}")));
        for text in [
            lines.join(end) + end,
            lines.join(end),
            lines.join(end).to_lowercase(),
        ] {
            fs::write(&path, text).unwrap();
            let breached = BreachedList::local(&path).unwrap();
            for number in 0..count {
                assert!(
                    breached
                        .find(&sha1_hex(&format!("password{number}")))
                        .await
                        .unwrap()
                );
                assert!(
                    !breached
                        .find(&sha1_hex(&format!("other{number}")))
                        .await
                        .unwrap()
                );
            }
        }
    }
}

#[tokio::test]
async fn a_leaked_password_is_weak() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    fs::write(&path, list(["letmein".into(), "123".into()]).join("\n")).unwrap();
    let breached = BreachedList::local(&path).unwrap();
    assert!(!is_pwned(&breached, "correct horse").await);
    let weakness = POLICY
        .check("letmein", Some(&breached))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(weakness.reasons, ["pwned"]);
    assert_eq!(
        weakness.message,
        "Password is known to be weak and easy to guess, please choose a different one."
    );
    let weakness = POLICY.check("123", Some(&breached)).await.unwrap().unwrap();
    assert_eq!(weakness.reasons, ["length", "pwned"]);
}

#[tokio::test]
async fn a_folder_of_parts_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    for (password, ending) in [("letmein", ""), ("hunter22", ".txt"), ("padding", "")] {
        let hash = sha1_hex(password);
        let count = if password == "padding" { 0 } else { 7 };
        let text = format!("{}:3\r\n{}:{count}\r\n", "0".repeat(35), &hash[5..]);
        fs::write(folder.path().join(format!("{}{ending}", &hash[..5])), text).unwrap();
    }
    let breached = BreachedList::local(folder.path()).unwrap();
    assert!(is_pwned(&breached, "letmein").await);
    assert!(is_pwned(&breached, "hunter22").await);
    assert!(!is_pwned(&breached, "padding").await);
}

#[tokio::test]
async fn a_file_that_is_no_list_is_refused_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    for text in [
        "",
        "password\nletmein\n",
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8X:5\n",
    ] {
        fs::write(&path, text).unwrap();
        assert!(
            matches!(BreachedList::local(&path), Err(BreachedError::Format)),
            "{text}"
        );
    }
    let missing = BreachedList::local(&folder.path().join("missing"));
    assert!(matches!(missing, Err(BreachedError::Io(_))));
}

#[tokio::test]
async fn a_list_that_went_bad_refuses_nobody_unless_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    fs::write(&path, list(["letmein".into()]).join("\n")).unwrap();
    let open = BreachedList::local(&path).unwrap();
    let closed = BreachedList::local(&path).unwrap().fail_closed(true);
    for text in [
        None,
        Some("no newline ".repeat(1000)),
        Some("no hash\n".repeat(1000)),
    ] {
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        assert_eq!(POLICY.check("letmein", Some(&open)).await, Ok(None));
        let refused = POLICY.check("letmein", Some(&closed)).await;
        assert_eq!(refused, Err(PasswordPolicyError::Unavailable));
    }
}

/// Serves one request; returns the address and a task that ends with the request.
async fn serve(answer: String) -> (Url, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/range/", listener.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let byte = stream.read_u8().await.unwrap();
            request.push(byte);
        }
        // The client may close the connection once it has read enough.
        let _ = stream.write_all(answer.as_bytes()).await;
        String::from_utf8(request).unwrap()
    });
    (address.parse().unwrap(), asked)
}

fn ok(lines: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{lines}",
        lines.len()
    )
}

#[tokio::test]
async fn a_service_learns_five_digits_and_no_more() {
    let hash = sha1_hex("letmein");
    for (lines, pwned) in [
        (
            format!("{}:1\r\n{}:42\r\n", "0".repeat(35), &hash[5..]),
            true,
        ),
        (
            format!("{}:1\r\n{}:0\r\n", "0".repeat(35), &hash[5..]),
            false,
        ),
        (format!("{}:1\r\n", "0".repeat(35)), false),
    ] {
        let (address, asked) = serve(ok(&lines)).await;
        let breached = BreachedList::service(&address, "innkeeper-tests").unwrap();
        assert_eq!(is_pwned(&breached, "letmein").await, pwned);
        let asked = asked.await.unwrap();
        assert!(
            asked.starts_with(&format!("GET /range/{} HTTP/1.1\r\n", &hash[..5])),
            "{asked}"
        );
        assert!(asked.contains("user-agent: innkeeper-tests"));
        assert!(!asked.contains(&hash[..6]) && !asked.contains("letmein"));
    }
}

#[tokio::test]
async fn a_service_that_fails_refuses_nobody_unless_told_to() {
    let mut huge = String::new();
    for number in 0..70_000 {
        writeln!(huge, "{number:035}:1").unwrap();
    }
    let elsewhere =
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n";
    let broken = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n";
    for answer in [elsewhere.into(), broken.into(), String::new(), ok(&huge)] {
        for fail_closed in [false, true] {
            let (address, asked) = serve(answer.clone()).await;
            let breached = BreachedList::service(&address, "innkeeper-tests").unwrap();
            let judged = POLICY
                .check("letmein", Some(&breached.fail_closed(fail_closed)))
                .await;
            let expected = if fail_closed {
                Err(PasswordPolicyError::Unavailable)
            } else {
                Ok(None)
            };
            assert_eq!(judged, expected);
            asked.await.unwrap();
        }
    }
}

#[tokio::test]
async fn no_message_holds_a_part_of_the_hash() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: Url = format!("http://{}/", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    drop(listener);
    let breached = BreachedList::service(&address, "innkeeper-tests").unwrap();
    let hash = sha1_hex("letmein");
    let error = breached.find(&hash).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(&hash[..5]));
}

#[test]
fn only_web_addresses_are_services() {
    for address in ["ftp://example.com/", "file:///etc/passwd", "data:,x"] {
        let address = address.parse().unwrap();
        let service = BreachedList::service(&address, "innkeeper-tests");
        assert!(matches!(service, Err(BreachedError::Address)), "{address}");
    }
}
