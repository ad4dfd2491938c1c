//! The console page without scripts: forms that are posted to `/v1/console`.

use innkeeper_hosting::model::Scope;
use jiff::SignedDuration;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{CONSOLE, ConsoleBench, READ_ONLY};
use crate::support::Answer;

const PAGE: &str = "/v1/console";
/// A form that is not opened from the page of another site.
const OWN: &str = "http://inn";
/// The refusal of a ticket that does not work.
const UNUSABLE: &str = "the ticket does not exist, has expired or was used";

/// Posts the fields of a form as a browser does, which sends the origin of the page.
async fn post_from(bench: &ConsoleBench, origin: &str, fields: &[(&str, &str)]) -> Answer {
    let pairs = fields.iter().map(|(name, value)| {
        let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
        format!("{name}={value}")
    });
    let body = pairs.collect::<Vec<_>>().join("&");
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("origin", origin),
    ];
    bench
        .bench
        .site()
        .send_body("POST", PAGE, &headers, &body)
        .await
}

async fn post(bench: &ConsoleBench, fields: &[(&str, &str)]) -> Answer {
    post_from(bench, OWN, fields).await
}

/// Posts a form about the server.
async fn act(bench: &ConsoleBench, credential: &str, action: &str, line: &str) -> Answer {
    let fields = [
        ("server", "survival"),
        ("credential", credential),
        ("action", action),
        ("line", line),
    ];
    post(bench, &fields).await
}

/// Makes a ticket with a key.
async fn ticket_by(bench: &ConsoleBench, key: &str) -> String {
    let path = format!("{CONSOLE}/survival/ticket");
    let answer = bench.bench.post_by(key, &path).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["ticket"].as_str().unwrap().to_owned()
}

/// Returns the ticket of the forms of a page. All have the same one.
fn next_ticket(page: &Answer) -> Option<String> {
    let text = page.text();
    let mut found: Vec<&str> = text
        .split("name=\"credential\" value=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    found.dedup();
    assert!(found.len() <= 1, "{text}");
    found.first().map(|&ticket| ticket.to_owned())
}

/// Asserts the status and the headers of a page, and returns its text.
#[track_caller]
fn page(answer: &Answer, status: u16) -> String {
    let text = answer.text();
    assert_eq!(answer.status, status, "{text}");
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    text
}

/// Asserts that a form was refused, and that the page has the first form again.
#[track_caller]
fn refused(answer: &Answer, status: u16, problem: &str) {
    let text = page(answer, status);
    assert!(text.contains(problem), "{text}");
    assert!(text.contains("id=\"form-credential\""), "{text}");
    assert_eq!(next_ticket(answer), None);
    assert!(!text.contains("<pre"), "{text}");
}

#[tokio::test]
async fn a_ticket_opens_the_page_and_every_form_has_the_next_one() {
    let bench = ConsoleBench::start().await;
    bench.print(["hello there".to_owned()]);
    bench.until_logged("hello there").await;
    let first = ticket_by(&bench, &bench.bench.key).await;
    let shown = act(&bench, &first, "show", "").await;
    let text = page(&shown, 200);
    assert!(text.contains("hello there\n"), "{text}");
    assert!(text.contains("<span class=\"state\">running</span>"));
    for action in ["show", "command", "start", "stop", "restart", "kill"] {
        let button = format!(" name=\"action\" value=\"{action}\"");
        assert!(text.contains(&button), "{action}: {text}");
    }
    assert!(!text.contains("<script"), "{text}");
    let second = next_ticket(&shown).unwrap();
    assert_ne!(second, first);

    let typed = act(&bench, &second, "command", "say hi").await;
    let text = page(&typed, 200);
    assert!(text.contains("&gt; say hi\n"), "{text}");
    let third = next_ticket(&typed).unwrap();
    let stopped = act(&bench, &third, "stop", "").await;
    let text = page(&stopped, 200);
    assert!(
        text.contains("The request to stop the server was accepted."),
        "{text}"
    );
    bench.until_logged("stop").await;
    assert!(next_ticket(&stopped).is_some());

    let events = "select count(*) from audit_log where event = 'console.command'";
    let events: i64 = bench.bench.sql.query_one(events, &[]).await.unwrap().get(0);
    assert_eq!(events, 1);
}

#[tokio::test]
async fn a_key_opens_the_page_and_is_not_in_it() {
    let bench = ConsoleBench::start().await;
    let key = bench.bench.key.clone();
    let shown = act(&bench, &format!(" {key} "), "show", "").await;
    let text = page(&shown, 200);
    assert!(!text.contains(&key));
    let ticket = next_ticket(&shown).unwrap();
    page(&act(&bench, &ticket, "show", "").await, 200);
    let mut wrong = key.clone();
    wrong.pop();
    refused(
        &act(&bench, &wrong, "show", "").await,
        401,
        "the API key is not valid",
    );
}

#[tokio::test]
async fn a_ticket_that_was_used_or_has_expired_gets_the_first_form_again() {
    let bench = ConsoleBench::start().await;
    let ticket = ticket_by(&bench, &bench.bench.key).await;
    let shown = act(&bench, &ticket, "command", "say once").await;
    page(&shown, 200);
    // A browser sends the form again when the page is reloaded.
    refused(
        &act(&bench, &ticket, "command", "say once").await,
        401,
        UNUSABLE,
    );
    let log = bench.texts("?stream=input").await;
    assert_eq!(log.iter().filter(|text| *text == "say once").count(), 1);
    // A ticket in a form waits longer than one of the API.
    let next = next_ticket(&shown).unwrap();
    let clock = &bench.bench.site().clock;
    clock.advance(SignedDuration::from_secs(599));
    let shown = act(&bench, &next, "show", "").await;
    page(&shown, 200);
    let next = next_ticket(&shown).unwrap();
    clock.advance(SignedDuration::from_secs(601));
    refused(&act(&bench, &next, "show", "").await, 401, UNUSABLE);
    let ticket = ticket_by(&bench, &bench.bench.key).await;
    clock.advance(SignedDuration::from_secs(31));
    refused(&act(&bench, &ticket, "show", "").await, 401, UNUSABLE);
    for unknown in ["x", "", &"A".repeat(43)] {
        refused(&act(&bench, unknown, "show", "").await, 401, UNUSABLE);
    }
}

#[tokio::test]
async fn lines_and_ids_cannot_add_markup() {
    let bench = ConsoleBench::start().await;
    let hostile = "</pre><script>alert(1)</script><img src=x onerror=\"alert('2')\">&lt;";
    bench.print([format!("\u{1b}[31m{hostile}\u{1b}[0m")]);
    bench
        .until_logged(&format!("\u{1b}[31m{hostile}\u{1b}[0m"))
        .await;
    let key = bench.bench.key.clone();
    let shown = act(&bench, &key, "command", "<b>bold</b>").await;
    let text = page(&shown, 200);
    let escaped = "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x \
                   onerror=&quot;alert(&#39;2&#39;)&quot;&gt;&amp;lt;\n";
    assert!(text.contains(escaped), "{text}");
    assert!(text.contains("&gt; &lt;b&gt;bold&lt;/b&gt;\n"), "{text}");
    for markup in ["<script", "<img", "<b>", "\u{1b}", "[31m"] {
        assert!(!text.contains(markup), "{markup}: {text}");
    }
    let fields = [("server", "\"><script>"), ("credential", &*key)];
    let missing = post(&bench, &fields).await;
    refused(&missing, 404, "not found");
    assert!(!missing.text().contains("<script"));
}

#[tokio::test]
async fn a_ticket_is_for_its_server_and_its_origin() {
    let bench = ConsoleBench::start().await;
    bench.bench.game("creative").await;
    let south = bench.bench.control.customer("South").await;
    bench.bench.game_of(&south, "theirs").await;
    for server in ["creative", "theirs", "missing", "-x", ""] {
        let ticket = ticket_by(&bench, &bench.bench.key).await;
        let fields = [("server", server), ("credential", &*ticket)];
        refused(&post(&bench, &fields).await, 404, "not found");
        // It was used up.
        refused(&act(&bench, &ticket, "show", "").await, 401, UNUSABLE);
    }
    let key = bench.bench.key.clone();
    for server in ["theirs", "missing"] {
        let fields = [("server", server), ("credential", &*key)];
        refused(&post(&bench, &fields).await, 404, "not found");
    }
    // The next ticket is for the page that the form came from.
    let shown = act(&bench, &key, "show", "").await;
    let next = next_ticket(&shown).unwrap();
    let fields = [("server", "survival"), ("credential", &*next)];
    let other = post_from(&bench, "http://evil.example", &fields).await;
    refused(&other, 403, "pages of this origin may not use the console");
    // The origin was refused before the ticket was looked at.
    page(&post(&bench, &fields).await, 200);
    // A ticket that was made for a page of another site does not work here.
    let path = format!("{CONSOLE}/survival/ticket");
    let body = "{\"origin\": \"https://panel.example\"}";
    let made = bench.bench.post_json(&path, body).await.json();
    let bound = made["ticket"].as_str().unwrap();
    refused(&act(&bench, bound, "show", "").await, 401, UNUSABLE);
}

#[tokio::test]
async fn a_ticket_ends_with_its_key() {
    let bench = ConsoleBench::start().await;
    let key = bench
        .bench
        .control
        .key(&bench.bench.customer, &[Scope::All]);
    let key = key.await;
    let text = key.text.reveal().clone();
    let shown = act(&bench, &text, "show", "").await;
    let next = next_ticket(&shown).unwrap();
    let (config, clock) = (bench.bench.site().config(), &bench.bench.site().clock);
    innkeeper_hosting::revoke_key(&config, clock, &key.key.key.id)
        .await
        .unwrap();
    clock.advance(SignedDuration::from_secs(6));
    refused(&act(&bench, &next, "stop", "").await, 401, "revoked");
    refused(&act(&bench, &text, "show", "").await, 401, "revoked");
    assert_eq!(
        bench.bench.state("/v1/hosting/game/survival").await,
        "running"
    );
}

#[tokio::test]
async fn forms_have_the_rights_of_the_key() {
    let bench = ConsoleBench::start().await;
    let reader = bench.bench.key_for(READ_ONLY).await;
    let shown = act(&bench, &reader, "show", "").await;
    let text = page(&shown, 200);
    for action in ["command", "start", "stop", "restart", "kill"] {
        let button = format!(" name=\"action\" value=\"{action}\"");
        assert!(!text.contains(&button), "{action}: {text}");
    }
    let mut ticket = next_ticket(&shown).unwrap();
    for (action, scope) in [
        ("command", "game:console:write"),
        ("start", "game:power"),
        ("stop", "game:power"),
        ("restart", "game:power"),
        ("kill", "game:kill"),
    ] {
        let answer = act(&bench, &ticket, action, "say no").await;
        let text = page(&answer, 403);
        let problem = format!("the API key does not have the scope `{scope}`");
        assert!(text.contains(&problem), "{text}");
        // The console is shown nevertheless.
        assert!(text.contains("<pre"), "{text}");
        ticket = next_ticket(&answer).unwrap();
    }
    assert!(!bench.texts("").await.contains(&"say no".to_owned()));
    assert_eq!(
        bench.bench.state("/v1/hosting/game/survival").await,
        "running"
    );
    let power = [Scope::GameConsoleRead, Scope::GamePower];
    let power = bench.bench.key_for(&power).await;
    let text = page(&act(&bench, &power, "show", "").await, 200);
    assert!(text.contains("value=\"stop\"") && !text.contains("value=\"kill\""));
    let blind = bench.bench.key_for(&[Scope::GamePower]).await;
    let problem = "the API key does not have the scope `game:console:read`";
    refused(&act(&bench, &blind, "stop", "").await, 403, problem);
}

#[tokio::test]
async fn what_the_api_refuses_is_shown_beside_the_console() {
    let bench = ConsoleBench::stopped().await;
    let mut ticket = ticket_by(&bench, &bench.bench.key).await;
    let long = "x".repeat(1025);
    for (action, line, status, problem) in [
        ("command", &*long, 422, "a command has at most 1024 bytes"),
        ("command", "", 422, "a command is not empty"),
        (
            "command",
            "a\nb",
            422,
            "one line without control characters",
        ),
        ("command", "list", 409, "not running"),
    ] {
        let answer = act(&bench, &ticket, action, line).await;
        let text = page(&answer, status);
        assert!(text.contains(problem), "{text}");
        assert!(text.contains("<pre"), "{text}");
        ticket = next_ticket(&answer).unwrap();
    }
    let answer = act(&bench, &ticket, "stop", "").await;
    let text = page(&answer, 200);
    assert!(text.contains("Nothing had to be done"), "{text}");
    ticket = next_ticket(&answer).unwrap();
    bench.suspend().await;
    let suspended = act(&bench, &ticket, "start", "").await;
    refused(&suspended, 403, "the server is suspended");
}
