//! The page that a browser shows at an address that does not exist. Programs get the server's usual error.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use innkeeper_rest::{Head, HeaderName, Method, Response, quality};

use super::Escaped;

const ACCEPT: HeaderName = HeaderName::from_static("accept");

const STYLE: &str = "
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: #fff; color: #1c2024; }
main { max-width: 36rem; margin: 0 auto; padding: 15vh 1.25rem 2rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
a { color: #0b5cad; }
@media (prefers-color-scheme: dark) {
  body { background: #15181b; color: #e8eaed; }
  a { color: #7ab7ff; }
}
";

/// The page of a server for addresses that do not exist.
#[derive(Debug, Clone, Copy)]
pub struct NotFoundPage {
    /// The name of the server.
    pub server: &'static str,
    /// Pages that exist: path and text of each link.
    pub links: &'static [(&'static str, &'static str)],
}

impl NotFoundPage {
    /// Tells whether a request is that of a browser which opens a page: a GET that prefers HTML to what the
    /// servers send to programs.
    pub fn is_for(head: &Head) -> bool {
        let accept = head.header_text(ACCEPT).unwrap_or_default();
        let others = ["application/json", "application/problem+json", "text/plain"];
        let other = others.map(|media_type| quality(accept, media_type));
        [&Method::GET, &Method::HEAD].contains(&head.method())
            && other.into_iter().max() < Some(quality(accept, "text/html"))
    }

    /// Turns the response to a request into the page. Its status and other headers stay.
    pub fn write(&self, path: &str, response: Response) -> Response {
        let style = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        response
            .content_type("text/html; charset=utf-8")
            .header("content-security-policy", policy)
            .header("x-content-type-options", "nosniff")
            .body(self.html(path))
    }

    fn html(&self, path: &str) -> String {
        let server = Escaped(self.server);
        let (title, text) = if path == "/" {
            let text = "This server is an API. It has no start page.".to_owned();
            (self.server, text)
        } else {
            let text = format!("{server} has no page at <code>{}</code>.", Escaped(path));
            ("Page not found", text)
        };
        let mut links = String::new();
        for (target, text) in self.links {
            // Writing to a string cannot fail.
            let _ = writeln!(
                links,
                "<li><a href=\"{}\">{}</a></li>",
                Escaped(target),
                Escaped(text)
            );
        }
        format!(
            "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"robots\" content=\"noindex\">
<title>{title} · {server}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
<ul>
{links}</ul>
</main>
</body>
</html>
",
            title = Escaped(title),
        )
    }
}

#[cfg(test)]
mod tests {
    use innkeeper_rest::{Head, HeaderValue, Method, Response};

    use super::{ACCEPT, NotFoundPage};

    const PAGE: NotFoundPage = NotFoundPage {
        server: "Inn",
        links: &[("/docs", "API documentation")],
    };

    fn head(method: Method, accept: Option<&'static str>) -> Head {
        let head = Head::new(method, "/nowhere");
        match accept {
            Some(accept) => head.with_header(ACCEPT, HeaderValue::from_static(accept)),
            None => head,
        }
    }

    #[test]
    fn only_browsers_that_open_a_page_get_it() {
        let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,\
                        image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
        for (method, accept, expected) in [
            (Method::GET, Some(chromium), true),
            (Method::HEAD, Some(chromium), true),
            (Method::POST, Some(chromium), false),
            (Method::GET, Some("text/html"), true),
            (Method::GET, None, false),
            (Method::GET, Some(""), false),
            (Method::GET, Some("*/*"), false),
            (Method::GET, Some("text/*"), false),
            (Method::GET, Some("application/json"), false),
            (Method::GET, Some("application/json, text/html"), false),
            (Method::GET, Some("text/html, text/plain"), false),
            (Method::GET, Some("text/html;q=0.5, */*;q=0.9"), false),
            (Method::GET, Some("text/html;;q"), false),
        ] {
            let head = head(method, accept);
            assert_eq!(NotFoundPage::is_for(&head), expected, "{head:?}");
        }
    }

    #[test]
    fn the_page_names_the_path_as_text_and_links_pages() {
        let response = PAGE.write("/<script>alert('1')</script>&", Response::status(404));
        assert_eq!(response.status_code(), 404);
        let page = String::from_utf8(response.bytes().unwrap().to_vec()).unwrap();
        assert!(page.contains(
            "Inn has no page at <code>/&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</code>."
        ));
        assert!(!page.contains("<script"));
        assert!(page.contains("<a href=\"/docs\">API documentation</a>"));
        let policy = response.headers()["content-security-policy"].to_str();
        assert!(!policy.unwrap().contains("unsafe"));
    }

    #[test]
    fn the_root_introduces_the_server() {
        let response = PAGE.write("/", Response::status(404));
        let page = String::from_utf8(response.bytes().unwrap().to_vec()).unwrap();
        assert!(page.contains("<h1>Inn</h1>"), "{page}");
        assert!(page.contains("This server is an API."), "{page}");
    }
}
