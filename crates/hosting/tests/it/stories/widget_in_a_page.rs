//! The widget in a page of another origin, in a browser, under a strict content security policy.

use std::process::Stdio;

use innkeeper_hosting::status::{Impact, IncidentStatus};
use innkeeper_hosting::{NewIncident, NewMaintenance};
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::{HeldPort, TestDatabase};
use jiff::SignedDuration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::Site;

/// A script that writes the state of the widget and the number of errors to attributes of the page.
const WITNESS: &str = r#"
var seen = document.documentElement.dataset;
seen.errors = seen.violations = 0;
addEventListener("error", function () { seen.errors++; });
addEventListener("unhandledrejection", function () { seen.errors++; });
addEventListener("securitypolicyviolation", function () { seen.violations++; });
setInterval(function () {
  var host = document.querySelector("heo-status");
  var box = host && host.shadowRoot.querySelector(".box");
  seen.widget = box ? (box.hidden ? "hidden" : box.innerText.replace(/\s+/g, " ").trim()) : "absent";
  if (!box || box.hidden) return;
  var style = getComputedStyle(box);
  seen.style = style.borderLeftWidth + " " + getComputedStyle(host).position;
  seen.live = box.getAttribute("aria-live");
  if (document.body.dataset.dismiss) host.shadowRoot.querySelector("button").click();
}, 40);
"#;

/// A web server with an origin of its own.
struct Page {
    listener: TcpListener,
    origin: String,
}

impl Page {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, origin }
    }

    /// Opens a page with this widget in a browser and returns the resulting document.
    async fn visit(&self, api: &str, widget: &str, body: &str) -> Seen {
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><title>Shop</title><script src=\"/witness.js\"></script>\
             </head><body {body}><h1>A shop</h1><script async src=\"{api}/v1/heo-status.js\" {widget}></script>\
             </body></html>"
        );
        let policy = format!("default-src 'none'; script-src 'self' {api}; connect-src {api}");
        let folder = tempfile::tempdir().unwrap();
        let mut browser = Command::new("chromium");
        browser
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .args(["--disable-dev-shm-usage", "--virtual-time-budget=3000"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            // Where it leaves a folder when it is killed.
            .env("TMPDIR", folder.path())
            .arg(format!("{}/", self.origin))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let mut browsing = std::pin::pin!(browser.output());
        loop {
            tokio::select! {
                output = &mut browsing => {
                    let output = output.expect("chromium is installed by `make test`");
                    return Seen(String::from_utf8(output.stdout).unwrap());
                }
                accepted = self.listener.accept() => {
                    let (stream, _) = accepted.unwrap();
                    tokio::spawn(answer(stream, html.clone(), policy.clone()));
                }
            }
        }
    }
}

async fn answer(mut stream: tokio::net::TcpStream, html: String, policy: String) {
    let mut request = [0; 4096];
    let length = stream.read(&mut request).await.unwrap_or(0);
    let is_script = request[..length].starts_with(b"GET /witness.js ");
    let (kind, text) = if is_script {
        ("text/javascript", WITNESS)
    } else {
        ("text/html", html.as_str())
    };
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}; charset=utf-8\r\ncontent-security-policy: {policy}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// The document after the browser has run it, with the attributes that the witness wrote.
struct Seen(String);

impl Seen {
    fn attribute(&self, name: &str) -> &str {
        let begin = format!("data-{name}=\"");
        let (_, rest) = self
            .0
            .split_once(&begin)
            .unwrap_or_else(|| panic!("{}", self.0));
        rest.split('"').next().unwrap()
    }

    /// Returns the text of the widget, and checks that the widget did not harm the page.
    fn widget(&self) -> &str {
        assert!(self.0.contains("<h1>A shop"), "{}", self.0);
        assert_eq!(self.attribute("errors"), "0", "{}", self.0);
        assert_eq!(self.attribute("violations"), "0", "{}", self.0);
        self.attribute("widget")
    }
}

async fn site(page: &Page, database: Option<&TestDatabase>) -> Site {
    let toml = "[[components]]\nid = \"disks\"\nname = \"Disks\"\n[[components]]\nid = \"games\"\nname = \"Games\"\n";
    let url = database.map(|database| Secret::new(database.url().to_owned()));
    let files = [("status.toml", toml)];
    let site = Site::start(&files, |config| {
        config.database.url = url;
        config.http.cors_origins = vec![page.origin.clone()];
    });
    let site = site.await;
    site.hosting.tick().await;
    site
}

#[tokio::test(flavor = "multi_thread")]
async fn the_widget_is_silent_while_all_is_well_unless_it_is_asked_to_speak() {
    let page = Page::new().await;
    let site = site(&page, None).await;
    let api = site.url();
    assert_eq!(page.visit(&api, "", "").await.widget(), "hidden");
    let seen = page.visit(&api, "data-show=\"always\"", "").await;
    assert_eq!(seen.widget(), "All systems operational Details ×");
    assert_eq!(
        seen.attribute("style"),
        "5px fixed",
        "the style holds under the policy"
    );
    assert_eq!(seen.attribute("live"), "polite");
    let seen = page
        .visit(
            &api,
            "data-show=\"always\" data-lang=\"de\" data-target=\"h1\"",
            "",
        )
        .await;
    assert_eq!(seen.widget(), "Alle Systeme in Betrieb Einzelheiten ×");
    assert_eq!(
        seen.attribute("style"),
        "5px static",
        "it stands where it should"
    );
    let seen = page
        .visit(&api, "data-show=\"always\"", "data-dismiss=\"1\"")
        .await;
    assert_eq!(seen.widget(), "hidden", "it goes when it is told to");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_widget_tells_of_incidents_and_maintenances() {
    let page = Page::new().await;
    let database = TestDatabase::empty().await.unwrap();
    let site = site(&page, Some(&database)).await;
    let (api, config) = (site.url(), site.config());
    let now = site.clock.now();
    let work = NewMaintenance {
        title: "New switches".to_owned(),
        components: vec!["games".to_owned()],
        from: now,
        until: now + SignedDuration::from_hours(2),
        message: String::new(),
    };
    let schedule = innkeeper_hosting::schedule_maintenance;
    schedule(&config, &site.clock, work).await.unwrap();
    site.pass(1).await;
    let seen = page.visit(&api, "", "").await;
    assert_eq!(
        seen.widget(),
        "Maintenance in progress New switches Details ×"
    );
    let incident = NewIncident {
        title: "Slow <b>disks</b>".to_owned(),
        impact: Impact::Major,
        status: IncidentStatus::Investigating,
        components: vec!["disks".to_owned()],
        message: String::new(),
    };
    let open = innkeeper_hosting::open_incident;
    open(&config, &site.clock, incident).await.unwrap();
    site.pass(1).await;
    let seen = page.visit(&api, "", "").await;
    let expected = "Partial outage Slow &lt;b&gt;disks&lt;/b&gt; New switches Details ×";
    assert_eq!(seen.widget(), expected);
    let seen = page
        .visit(&api, "data-components=\"games\" data-theme=\"dark\"", "")
        .await;
    assert_eq!(
        seen.widget(),
        "Maintenance in progress New switches Details ×"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_widget_is_silent_on_pages_of_strangers_and_while_the_server_is_away() {
    let page = Page::new().await;
    let stranger = Page::new().await;
    let site = site(&page, None).await;
    let seen = stranger
        .visit(&site.url(), "data-show=\"always\"", "")
        .await;
    // The browser logs the blocked request; the page gets no error event.
    assert_eq!(seen.widget(), "hidden");
    let away = HeldPort::take().unwrap();
    let away = format!("http://{}", away.address());
    let seen = page.visit(&away, "data-show=\"always\"", "").await;
    assert_eq!(seen.widget(), "absent");
}
