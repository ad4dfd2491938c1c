//! The page with a button that `MAILER_CONFIRMATION_PAGE` shows instead of following a link at once,
//! so that programs which open links in mails confirm nothing.

use innkeeper_rest::Response;

/// What the page may do: nothing but show itself and send its form to this server.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action *; \
                      base-uri 'none'; frame-ancestors 'none'";

/// The page for the query of a link.
pub(crate) fn show(query: &str) -> Response {
    let page = format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Please confirm</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; }}
main {{ max-width: 24rem; padding: 2rem; text-align: center; }}
button {{ font: inherit; font-weight: 600; padding: .75rem 2rem; border: 0; border-radius: .5rem;
  background: #1d4ed8; color: #fff; cursor: pointer; }}
button:focus-visible {{ outline: 3px solid #93c5fd; outline-offset: 2px; }}
</style>
</head>
<body>
<main>
<h1>One more step</h1>
<p>Press the button to go on.</p>
<form method="post" action="?{}"><button type="submit">Continue</button></form>
</main>
</body>
</html>
"#,
        escape(query)
    );
    Response::ok()
        .content_type("text/html; charset=utf-8")
        .header("content-security-policy", POLICY)
        .header("x-frame-options", "DENY")
        .body(page)
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::show;

    #[test]
    fn the_query_cannot_leave_its_attribute() {
        let page = show(r#"token=a"><script>alert(1)</script>&type=signup"#);
        let page = String::from_utf8(page.bytes().unwrap().to_vec()).unwrap();
        assert!(!page.contains("<script>"));
        assert!(page.contains("token=a&quot;&gt;&lt;script&gt;"));
    }
}
