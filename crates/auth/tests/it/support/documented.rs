//! With `CHECK_DOCUMENT`, a test of the std profile fails on a response that the `OpenAPI` document does not
//! describe.

use std::sync::LazyLock;

use http::Method;
use innkeeper_auth::Auth;
use serde_json::Value;

use super::Answer;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| Auth::openapi().unwrap());

/// Fails a test whose response is not documented: its status, media type or error code.
#[track_caller]
pub(crate) fn check(method: &Method, target: &str, answer: &Answer) {
    let path = target.split('?').next().unwrap_or_default();
    let Some(item) = item(path.trim_end_matches('/')) else {
        return;
    };
    let method = match *method {
        Method::HEAD => "get".to_owned(),
        Method::OPTIONS => return,
        _ => method.as_str().to_ascii_lowercase(),
    };
    let status = answer.status.to_string();
    let Some(operation) = item.get(&method) else {
        assert_eq!(status, "405", "{method} {target} is not documented");
        return;
    };
    let code = answer.header("x-sb-error-code").unwrap_or_default();
    // Errors raised by the application have an SQLSTATE instead of a code of this server.
    let is_raised = code.len() == 5 && code.contains(|letter: char| letter.is_ascii_digit());
    if is_raised || code == "unknown" {
        return;
    }
    let told = &operation["responses"][&status];
    assert!(
        told.is_object(),
        "{method} {path}: {status} `{code}` is not documented"
    );
    let text = told["description"].as_str().unwrap_or_default();
    assert!(
        code.is_empty() || text.contains(&format!("`{code}`")),
        "{method} {path}: {status} has no `{code}` in the document"
    );
    let media_type = answer.header("content-type").unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default();
    assert!(
        media_type.is_empty() || told["content"][media_type].is_object(),
        "{method} {path}: {status} is no {media_type} in the document"
    );
}

/// Returns the path item of the document for a path.
fn item(path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object()?;
    if let Some(item) = paths.get(path) {
        return Some(item);
    }
    let fits = |template: &str| {
        let (mut given, mut wanted) = (path.split('/'), template.split('/'));
        loop {
            match (given.next(), wanted.next()) {
                (None, None) => return true,
                (Some(given), Some(wanted)) if given == wanted || wanted.starts_with('{') => {}
                _ => return false,
            }
        }
    };
    let mut all = paths.iter();
    all.find_map(|(template, item)| fits(template).then_some(item))
}
