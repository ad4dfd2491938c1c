//! `docs/hosting/errors.md` and the OpenAPI document list the error codes of the code.

use std::path::Path;

use innkeeper_hosting::{ControlErrorCode, error_codes_markdown};
use serde_json::Value;

#[test]
fn the_page_of_error_codes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hosting/errors.md");
    let page = error_codes_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/hosting/errors.md differs from the codes; \
         `UPDATE_DOCS=1 cargo test -p innkeeper-hosting --test it error_codes` rewrites it"
    );
}

/// Returns every status and code of the control endpoints in the document, such as `(404, "not_found")`.
fn documented(document: &Value) -> Vec<(u16, String)> {
    let paths = document["paths"].as_object().unwrap();
    let paths = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/v1/hosting/"));
    let operations = paths.flat_map(|(_, item)| item.as_object().unwrap().values());
    let responses = operations.flat_map(|operation| operation["responses"].as_object().unwrap());
    responses
        .filter(|(status, _)| status.starts_with(['4', '5']))
        .flat_map(|(status, response)| {
            let status: u16 = status.parse().unwrap();
            let description = response["description"].as_str().unwrap();
            let codes = description
                .split("`: ")
                .filter_map(|part| part.rsplit('`').next());
            let codes = codes.filter(|code| ControlErrorCode::parse(code).is_some());
            let codes: Vec<String> = codes.map(str::to_owned).collect();
            assert!(!codes.is_empty(), "{status}: {description}");
            codes.into_iter().map(move |code| (status, code))
        })
        .collect()
}

#[test]
fn the_document_names_each_code_with_a_status_that_it_has() {
    let pairs = documented(&innkeeper_hosting::openapi().unwrap());
    assert!(pairs.len() > 100, "{}", pairs.len());
    for (status, name) in &pairs {
        let code = ControlErrorCode::parse(name).unwrap();
        let statuses = code.statuses();
        assert!(
            statuses.iter().any(|known| known.as_u16() == *status),
            "{name} is documented with {status}, and sent with {statuses:?}"
        );
    }
    for code in [
        "action_in_progress",
        "server_suspended",
        "insufficient_scope",
        "key_revoked",
    ] {
        assert!(pairs.iter().any(|(_, name)| name == code), "{code}");
    }
}
