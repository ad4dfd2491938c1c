//! `docs/settings.md` is generated from the tables of both servers and of `innkeeper up`.

use std::path::Path;

use crate::up;

#[test]
fn settings_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let auth = innkeeper_auth::config::settings_markdown();
    let hosting = innkeeper_hosting::config::settings_markdown();
    let page = format!("{auth}{hosting}{}", up::settings_markdown());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == page,
        "docs/settings.md differs from the tables; \
         `UPDATE_DOCS=1 cargo test -p innkeeper settings_page` rewrites it"
    );
}
