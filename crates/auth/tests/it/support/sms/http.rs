//! The requests that providers get.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use url::form_urlencoded;

/// A request with a form.
#[derive(Debug, Clone)]
pub(crate) struct SmsRequest {
    pub(crate) target: String,
    pub(crate) authorization: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl SmsRequest {
    /// Returns the values of the fields, which must be these and no others.
    pub(super) fn values<const N: usize>(&self, names: [&str; N]) -> Result<[&str; N], String> {
        let sent: Vec<&str> = self.fields.iter().map(|(name, _)| name.as_str()).collect();
        if sent != names {
            return Err(format!("the fields are {sent:?}"));
        }
        let mut values = self.fields.iter().map(|(_, value)| value.as_str());
        Ok([(); N].map(|()| values.next().unwrap_or_default()))
    }

    pub(super) fn check_target(&self, expected: &str) -> Result<(), String> {
        same("target", &self.target, expected)
    }

    /// Checks the user and the password of `Authorization: Basic`.
    pub(super) fn check_basic(&self, user: &str, password: &str) -> Result<(), String> {
        let expected = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        same("authorization", &self.authorization, &expected)
    }
}

/// Compares a part of a request.
pub(super) fn same(what: &str, sent: &str, expected: &str) -> Result<(), String> {
    if sent == expected {
        return Ok(());
    }
    Err(format!("the {what} is {sent:?}, not {expected:?}"))
}

/// Returns the digits of a number with `+`.
pub(super) fn international(number: &str) -> Result<String, String> {
    let digits = number.strip_prefix('+');
    digits
        .map(str::to_owned)
        .ok_or_else(|| format!("{number:?} has no +"))
}

pub(super) async fn read(stream: &mut BufReader<TcpStream>) -> Option<SmsRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line);
    }
    let header = |name: &str| {
        let found = lines.iter().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        });
        found.unwrap_or_default()
    };
    let mut body = vec![0; header("content-length").parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    let mut words = lines.first()?.split(' ');
    let is_form = header("content-type") == "application/x-www-form-urlencoded";
    assert!(words.next() == Some("POST") && is_form, "{lines:?}");
    Some(SmsRequest {
        target: words.next()?.to_owned(),
        authorization: header("authorization"),
        fields: form_urlencoded::parse(&body).into_owned().collect(),
    })
}
