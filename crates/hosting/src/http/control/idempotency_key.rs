//! `Idempotency-Key`: a request that is repeated with the same key is answered as the first one was.

use http::header::HeaderName;
use innkeeper_rest::{Head, Rejection};

use super::errors::invalid_header;

static NAME: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest key, in bytes.
const MAX_LENGTH: usize = 255;

/// Returns the key of a request, if it has one.
pub(super) fn of(head: &Head) -> Result<Option<&str>, Rejection> {
    let mut lines = head.header_values(&NAME);
    let Some(line) = lines.next() else {
        return Ok(None);
    };
    let is_printable = line.iter().all(|byte| (b' '..=b'~').contains(byte));
    let has_length = (1..=MAX_LENGTH).contains(&line.len());
    match std::str::from_utf8(line) {
        Ok(key) if is_printable && has_length && lines.next().is_none() => Ok(Some(key)),
        _ => {
            let problem = format!("expected once, with 1 to {MAX_LENGTH} printable characters");
            Err(invalid_header("Idempotency-Key", &problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use innkeeper_rest::{Head, Method};

    use super::{NAME, of};

    fn head(values: &[&[u8]]) -> Head {
        let head = Head::new(Method::POST, "/");
        values.iter().fold(head, |head, value| {
            head.with_header(NAME.clone(), HeaderValue::from_bytes(value).unwrap())
        })
    }

    #[test]
    fn a_key_has_up_to_255_printable_characters() {
        assert_eq!(of(&head(&[])).unwrap(), None);
        assert_eq!(of(&head(&[b"order 7/a"])).unwrap(), Some("order 7/a"));
        let longest = [b'k'; 255];
        assert!(of(&head(&[&longest])).unwrap().is_some());
        let longer = [b'k'; 256];
        for wrong in [
            &[&b""[..]][..],
            &[&longer],
            &[b"a\tb"],
            &[b"\xe9"],
            &[b"a", b"a"],
        ] {
            assert_eq!(of(&head(wrong)).unwrap_err().status(), 400, "{wrong:?}");
        }
    }
}
