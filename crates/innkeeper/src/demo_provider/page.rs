//! The pages of the demo provider, which work without scripts.

use innkeeper_rest::Response;
use innkeeper_service::html::Escaped;
use url::Url;

/// Allows the pages their style sheet and icon, and a form to this provider.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// What the form shows.
pub(super) struct FormState<'a> {
    /// The query of the authorization request, which the form is sent with.
    pub(super) query: &'a str,
    /// The value of the cookie.
    pub(super) token: &'a str,
    pub(super) name: &'a str,
    pub(super) email: &'a str,
    /// Why the form was not accepted.
    pub(super) problem: Option<&'static str>,
}

/// Returns the page with the form.
pub(super) fn form(status: u16, state: &FormState<'_>) -> Response {
    let [query, token, name, email] =
        [state.query, state.token, state.name, state.email].map(Escaped);
    let problem = state.problem.map_or_else(String::new, |problem| {
        format!("<p id=\"problem\" class=\"bad\" role=\"alert\">{problem}</p>\n")
    });
    let described = if problem.is_empty() {
        ""
    } else {
        " aria-describedby=\"problem\""
    };
    page(
        status,
        "",
        &format!(
            "<h1>Demo provider</h1>
<p class=\"lead\">For trying out: sign in as anybody. There is no password, and only this machine can reach this \
page.</p>
<form class=\"panel\" method=\"post\" action=\"?{query}\"{described}>
{problem}<input type=\"hidden\" name=\"form_token\" value=\"{token}\">
<label for=\"name\">Name</label>
<input id=\"name\" name=\"name\" autocomplete=\"off\" maxlength=\"100\" required value=\"{name}\">
<label for=\"email\">Email</label>
<input id=\"email\" name=\"email\" type=\"email\" autocomplete=\"off\" required value=\"{email}\">
<p class=\"buttons\">
<button type=\"submit\" name=\"action\" value=\"continue\" class=\"first\">Continue</button>
<button type=\"submit\" name=\"action\" value=\"cancel\" formnovalidate>Cancel</button>
</p>
</form>"
        ),
    )
}

/// Returns a page that goes on to another address by itself.
pub(super) fn leave(url: &Url) -> Response {
    let url = Escaped(url.as_str());
    page(
        200,
        &format!("<meta http-equiv=\"refresh\" content=\"0; url={url}\">\n"),
        &format!(
            "<h1>Demo provider</h1>
<p class=\"buttons\"><a class=\"button first\" href=\"{url}\">Return to the site</a></p>"
        ),
    )
}

/// Returns a page that says why a request is refused.
pub(super) fn refusal(status: u16, problem: &'static str) -> Response {
    page(
        status,
        "",
        &format!(
            "<h1>Demo provider</h1>\n<p class=\"note\" role=\"alert\">This request is refused: {problem}.</p>"
        ),
    )
}

fn page(status: u16, head: &str, main: &str) -> Response {
    let html = format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
{head}<title>Demo provider · Innkeeper</title>
<link rel=\"icon\" href=\"/portal/icon.svg\" type=\"image/svg+xml\">
<link rel=\"stylesheet\" href=\"/portal/portal.css\">
</head>
<body>
<main id=\"main\" class=\"narrow\">
{main}
</main>
</body>
</html>
"
    );
    Response::status(status)
        .content_type("text/html; charset=utf-8")
        .header("content-security-policy", POLICY)
        .header("cache-control", "no-store")
        .body(html)
}
