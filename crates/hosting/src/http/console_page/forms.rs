//! The console page as forms, for browsers without scripts.

use std::fmt::{self, Display, Write as _};

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use innkeeper_rest::{ErrorFormat, Head, Method, Rejection, Response};
use innkeeper_service::html::Escaped;
use serde_json::{Value, json};

use crate::http::control::console_form::ConsoleView;
use crate::http::errors::ErrorResponses;
use crate::machines::console::LineStream;

/// The page has no script at all.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";
pub(super) const CONTENT_TYPE: &str = "text/html; charset=utf-8";

/// Headers that keep other sites away from a page. The origin must be sent with its forms, so its referrer is not
/// left out for its own site.
pub(super) const PROTECTION: [(HeaderName, &str); 3] = [
    (REFERRER_POLICY, "same-origin"),
    (X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Errors of forms are pages with the first form again. Others are those of the public routes.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct ConsolePageErrors;

impl ErrorFormat for ConsolePageErrors {
    fn write(&self, rejection: &Rejection, head: &Head, response: Response) -> Response {
        if *head.method() != Method::POST || head.path() != super::PATH {
            return ErrorResponses.write(rejection, head, response);
        }
        let problem = Notice::Problem(rejection.message());
        let page = match rejection.details::<ConsoleView>() {
            Some(view) => console(view, Some(problem)),
            None => entry(problem),
        };
        protected(response, page)
    }

    fn schemas(&self) -> Vec<(&'static str, Value)> {
        let mut schemas = ErrorResponses.schemas();
        schemas.push(("text/html", json!({ "type": "string" })));
        schemas
    }
}

/// Returns the response with a page that must not be stored, because it has a ticket.
pub(super) fn protected(response: Response, page: String) -> Response {
    let response = response
        .header(CACHE_CONTROL, "no-store")
        .header(CONTENT_SECURITY_POLICY, POLICY)
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff");
    let response = PROTECTION
        .into_iter()
        .fold(response, |response, (name, value)| {
            response.header(name, value)
        });
    response.content_type(CONTENT_TYPE).body(page)
}

/// What was done, or why it was not.
#[derive(Clone, Copy)]
enum Notice<'a> {
    Done(&'a str),
    Problem(&'a str),
}

impl Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (class, text) = match self {
            Self::Done(text) => ("notice", text),
            Self::Problem(text) => ("notice bad", text),
        };
        let text = Escaped(text);
        writeln!(f, "<p class=\"{class}\" role=\"status\">{text}</p>")
    }
}

/// Returns the form that asks for a server and a credential. It contains neither, so every browser gets the same.
pub(super) fn entry_form() -> &'static str {
    r#"<form class="entry" method="post" action="console" autocomplete="off">
<p><label for="form-server">Server</label> <input id="form-server" name="server" required maxlength="64" autocapitalize="off" spellcheck="false"></p>
<p><label for="form-credential">Ticket or API key</label> <input id="form-credential" name="credential" type="password" required maxlength="128" autocomplete="off"></p>
<p><button class="first">Open the console</button></p>
</form>
"#
}

/// Returns the page of a form whose credential was refused.
fn entry(problem: Notice<'_>) -> String {
    let form = entry_form();
    let help = "A ticket works once and for a short time. Open the console again with a new ticket or an API key.";
    page(
        "Console",
        &format!("<header><h1>Console</h1></header>\n<main>{problem}<p>{help}</p>\n{form}</main>"),
    )
}

/// Returns the page that shows a server, and what was done.
pub(super) fn shown(view: &ConsoleView) -> String {
    console(view, view.notice.as_deref().map(Notice::Done))
}

fn console(view: &ConsoleView, notice: Option<Notice<'_>>) -> String {
    let id = Escaped(&view.server_id);
    let mut body = format!(
        "<header><h1>Console <span>{id}</span></h1>\n<p><span class=\"state\">{}</span></p></header>\n<main>",
        Escaped(&view.state.to_string())
    );
    if let Some(notice) = notice {
        let _ = write!(body, "{notice}");
    }
    body.push_str("<div id=\"log\"><pre tabindex=\"0\">");
    for line in &view.lines {
        let prefix = match line.stream {
            LineStream::Input => "> ",
            LineStream::Console | LineStream::System => "",
        };
        let text = Escaped(&line.text);
        let _ = writeln!(body, "{}{text}", Escaped(prefix));
    }
    body.push_str("</pre></div>\n");
    if view.can_type {
        let input = "<label for=\"line\">Command</label> <input id=\"line\" name=\"line\" required maxlength=\"1024\" \
                     autocomplete=\"off\" autocapitalize=\"off\" spellcheck=\"false\" autofocus>\n\
                     <button class=\"first\" name=\"action\" value=\"command\">Send</button>\n";
        push_form(&mut body, view, "input", input);
    }
    let mut buttons = button("show", "Show the latest lines");
    if view.can_change_power {
        for (action, label) in [("start", "Start"), ("stop", "Stop"), ("restart", "Restart")] {
            buttons.push_str(&button(action, label));
        }
    }
    push_form(&mut body, view, "power", &buttons);
    if view.can_kill {
        // Killing loses what the game has not saved, so it takes a second click.
        body.push_str("<details><summary>Kill the server</summary>\n");
        let kill = "<button class=\"danger\" name=\"action\" value=\"kill\">Kill without saving</button>\n";
        push_form(&mut body, view, "kill", kill);
        body.push_str("</details>\n");
    }
    body.push_str("</main>");
    page(&format!("Console of {id}"), &body)
}

fn button(action: &str, label: &str) -> String {
    format!("<button name=\"action\" value=\"{action}\">{label}</button>\n")
}

/// Appends a form. All forms of a page have the same ticket, of which the first that is sent uses it up.
fn push_form(page: &mut String, view: &ConsoleView, id: &str, controls: &str) {
    let (server, ticket) = (Escaped(&view.server_id), Escaped(view.ticket.reveal()));
    let _ = writeln!(
        page,
        "<form id=\"{id}\" class=\"buttons\" method=\"post\" action=\"console\" autocomplete=\"off\">\n\
         <input type=\"hidden\" name=\"server\" value=\"{server}\">\
         <input type=\"hidden\" name=\"credential\" value=\"{ticket}\">\n{controls}</form>"
    );
}

/// Returns a whole page. The title and the body are HTML.
fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"console/console.css\">\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
}
