//! `docs/auth/errors.md` and the OpenAPI document list the error codes of the code.

use std::path::Path;

use innkeeper_auth::{Auth, ErrorCode, error_codes_markdown};

#[test]
fn the_page_of_error_codes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/auth/errors.md");
    let page = error_codes_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/auth/errors.md differs from the codes; \
         `UPDATE_DOCS=1 cargo test -p innkeeper-auth --test it error_codes` rewrites it"
    );
}

/// Returns every status and code of the document, such as `(403, "bad_jwt")`.
fn documented(document: &serde_json::Value) -> Vec<(u16, String)> {
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|item| item.as_object().unwrap().values());
    let responses = operations.flat_map(|operation| operation["responses"].as_object().unwrap());
    responses
        .filter(|(_, response)| response["headers"].get("x-sb-error-code").is_some())
        .flat_map(|(status, response)| {
            let status: u16 = status.parse().unwrap();
            let codes = response["description"].as_str().unwrap().split(", ");
            codes.map(move |code| (status, code.trim_matches('`').to_owned()))
        })
        .collect()
}

#[tokio::test]
async fn the_document_names_each_code_with_a_status_that_it_has() {
    let pairs = documented(&Auth::openapi().unwrap());
    assert!(pairs.len() > 100, "{}", pairs.len());
    for (status, name) in pairs {
        let mut codes = ErrorCode::ALL.iter();
        let code = codes.find(|code| code.as_str() == name);
        let code = code.unwrap_or_else(|| panic!("{name} is not a code"));
        let statuses = code.statuses();
        assert!(
            statuses.iter().any(|known| known.as_u16() == status),
            "{name} is documented with {status}, and sent with {statuses:?}"
        );
    }
}
