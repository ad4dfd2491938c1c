//! The page with a button that `MAILER_CONFIRMATION_PAGE` shows before a link is used, so that programs
//! which open the links of mails confirm nothing. With `PAGES`, [`crate::http::pages::confirm`] takes its place.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use innkeeper_rest::Response;
use innkeeper_service::html::Escaped;

use crate::http::pages::policy::form_action;

const STYLE: &str = "
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; }
main { max-width: 24rem; padding: 2rem; text-align: center; }
button { font: inherit; font-weight: 600; padding: .75rem 2rem; border: 0; border-radius: .5rem;
  background: #1d4ed8; color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #93c5fd; outline-offset: 2px; }
";

/// Returns the page for the query of a link. The button leads to one of the targets.
pub(crate) fn show(query: &str, targets: &[String]) -> Response {
    let query = Escaped(query);
    let page = format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"robots\" content=\"noindex\">
<title>Please confirm</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>One more step</h1>
<p>Press the button to continue.</p>
<form method=\"post\" action=\"?{query}\"><button type=\"submit\">Continue</button></form>
</main>
</body>
</html>
"
    );
    Response::ok()
        .content_type("text/html; charset=utf-8")
        .header("content-security-policy", policy(targets))
        .header("x-frame-options", "DENY")
        .body(page)
}

/// Returns the content security policy of the page: its own style, a form to this server, and the redirect
/// of the response, which browsers count as part of the form submission.
fn policy(targets: &[String]) -> String {
    let style = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action {}; base-uri 'none'; \
         frame-ancestors 'none'",
        form_action(targets)
    )
}

#[cfg(test)]
mod tests {
    use super::show;

    #[test]
    fn the_query_cannot_leave_its_attribute() {
        let page = show(r#"token=a"><script>alert(1)</script>&type=signup"#, &[]);
        let page = String::from_utf8(page.bytes().unwrap().to_vec()).unwrap();
        assert!(!page.contains("<script>"));
        assert!(page.contains("token=a&quot;&gt;&lt;script&gt;"));
    }
}
