//! `GET /v1/status.html`, its style sheet and its feed.

use innkeeper_hosting::status::{Impact, IncidentStatus};
use innkeeper_hosting::{NewIncident, NewMaintenance};
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use tokio_postgres::NoTls;

use crate::support::{Site, TcpService, eventually};

/// Texts that would run a script in a page that takes them for markup.
const ATTACKS: [&str; 20] = [
    "<script>attacked=1</script>",
    "</title><script>attacked=1</script>",
    "<img src=x onerror=attacked=1>",
    "<svg onload=attacked=1>",
    "\"><img src=x onerror=attacked=1>",
    "'><svg/onload=attacked=1>",
    "\" onmouseover=\"attacked=1",
    "' onfocus='attacked=1' autofocus='",
    "<iframe srcdoc='<script>attacked=1</script>'>",
    "<a href=javascript:attacked=1>a</a>",
    "</p></section></main><script>attacked=1</script>",
    "<!--<img src=\"--><img src=x onerror=attacked=1//\">",
    "<style>*{display:none}</style>",
    "<math><mi//xlink:href=\"data:x,<script>attacked=1</script>\">",
    "<details open ontoggle=attacked=1>",
    "]]><script>attacked=1</script>",
    "<![CDATA[<script>attacked=1</script>]]>",
    "<?xml-stylesheet href=\"javascript:attacked=1\"?>",
    "&lt;script&gt;attacked=1&lt;/script&gt;",
    "<base href=//evil.example><meta http-equiv=refresh content=0>",
];

fn incident(title: &str, message: &str, impact: Impact) -> NewIncident {
    NewIncident {
        title: title.to_owned(),
        impact,
        status: IncidentStatus::Investigating,
        components: vec!["door".to_owned()],
        message: message.to_owned(),
    }
}

/// Starts a server with a component that is probed, and a database.
async fn site(database: &TestDatabase) -> (Site, TcpService) {
    let service = TcpService::start().await;
    let toml = service.status_toml();
    let site = Site::with_database(&[("status.toml", &toml)], database).await;
    until_heard_of(database, 1).await;
    (site, service)
}

/// Waits until commands know of this many replicas at least. From then on they wait until each shows a change.
async fn until_heard_of(database: &TestDatabase, replicas: i64) {
    eventually("the replicas to be heard of", async || {
        let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        let count = "select count(*) from hosting.status_readers where seen >= 0";
        client.query_one(count, &[]).await.unwrap().get::<_, i64>(0) >= replicas
    })
    .await;
}

/// Schedules a maintenance that begins in an hour and takes one.
async fn schedule_maintenance(site: &Site) {
    let now = site.clock.now();
    let work = NewMaintenance {
        title: "New hinges".to_owned(),
        components: vec!["door".to_owned()],
        from: now + SignedDuration::from_hours(1),
        until: now + SignedDuration::from_hours(2),
        message: "The door is closed.".to_owned(),
    };
    let schedule = innkeeper_hosting::schedule_maintenance;
    schedule(&site.config(), &site.clock, work).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_components_incidents_and_maintenances() {
    let database = TestDatabase::empty().await.unwrap();
    let (site, _service) = site(&database).await;
    let quiet = site.get("/v1/status.html").await;
    assert_eq!(quiet.status, 200);
    let kind = Some("text/html; charset=utf-8");
    assert_eq!(quiet.header("content-type"), kind);
    let cache = "public, max-age=15, stale-if-error=3600";
    assert_eq!(quiet.header("cache-control"), Some(cache));
    let policy = quiet.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'self'; "));
    assert!(!policy.contains("unsafe") && !policy.contains("script"));
    let page = quiet.text();
    for expected in [
        "<title>All systems operational · Inn</title>",
        "<p class=\"overall none\">All systems operational</p>",
        "<h3>House</h3>",
        "<strong>Door</strong> <span class=\"state operational\">Operational</span>",
        "No incidents and no maintenance.",
        "href=\"status.atom\"",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(!page.contains("Open incidents"), "{page}");

    let config = site.config();
    let new = incident("The door is stuck", "We look.\nPatience.", Impact::Major);
    let open = innkeeper_hosting::open_incident;
    let opened = open(&config, &site.clock, new).await.unwrap();
    schedule_maintenance(&site).await;
    // Nothing has passed: the commands have waited for the server.
    let page = site.get("/v1/status.html").await.text();
    for expected in [
        "<p class=\"overall major\">Partial outage</p>",
        "<h2>Open incidents</h2>",
        &format!("<section class=\"event major\" id=\"{}\">", opened.id),
        "<h3>The door is stuck</h3>",
        "Affects: Door",
        "<strong>Investigating</strong>",
        "<p>We look.\nPatience.</p>",
        "<span class=\"state partial_outage\">Partial outage</span>",
        "<h2>Maintenance</h2>",
        "<h3>New hinges</h3>",
        "Scheduled, <time datetime=",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    let update = innkeeper_hosting::update_incident;
    let resolved = IncidentStatus::Resolved;
    update(&config, &site.clock, &opened.id, resolved, None, "Oiled.")
        .await
        .unwrap();
    let page = site.get("/v1/status.html").await.text();
    assert!(!page.contains("Open incidents"), "{page}");
    let past = page.split("<h2>Past seven days</h2>").nth(1).unwrap();
    assert!(past.contains("The door is stuck") && past.contains("Oiled."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_begins_and_ends_at_its_time() {
    let database = TestDatabase::empty().await.unwrap();
    let (site, _service) = site(&database).await;
    schedule_maintenance(&site).await;
    for (overall, heading, phase) in [
        ("All systems operational", "Maintenance", "Scheduled"),
        ("Maintenance in progress", "Maintenance", "In progress"),
        ("All systems operational", "Past seven days", "Completed"),
    ] {
        let page = site.get("/v1/status.html").await.text();
        assert!(page.contains(&format!("\">{overall}</p>")), "{page}");
        let section = page.split(&format!("<h2>{heading}</h2>")).nth(1).unwrap();
        let section = section.split("<h2>").next().unwrap();
        let facts = format!("<h3>New hinges</h3>\n<p class=\"hint\">{phase}, ");
        assert!(section.contains(&facts), "{phase}: {page}");
        site.pass(3601).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_to_the_next_request_by_every_replica() {
    let database = TestDatabase::empty().await.unwrap();
    let (first, _service) = site(&database).await;
    let (second, _other) = site(&database).await;
    let config = first.config();
    until_heard_of(&database, 2).await;
    for round in 0..5 {
        let title = format!("Incident {round}");
        let new = incident(&title, "", Impact::Minor);
        let open = innkeeper_hosting::open_incident;
        let id = open(&config, &first.clock, new).await.unwrap().id;
        for site in [&first, &second] {
            let status = site.get("/v1/status").await.json();
            let newest = status["incidents"].as_array().unwrap();
            assert!(newest.iter().any(|one| one["title"] == title), "{status}");
        }
        let update = innkeeper_hosting::update_incident;
        let resolved = IncidentStatus::Resolved;
        update(&config, &first.clock, &id, resolved, None, "")
            .await
            .unwrap();
        for site in [&first, &second] {
            let status = site.get("/v1/status").await.json();
            assert_eq!(status["status"]["indicator"], "none", "{round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_operators_never_become_markup() {
    let database = TestDatabase::empty().await.unwrap();
    let attack = ATTACKS[4];
    let quoted = attack.replace('"', "\\\"");
    let toml = format!(
        "name = \"{quoted}\"\n[[components]]\nid = \"door\"\nname = \"{quoted}\"\n\
         group = \"{quoted}\"\ndescription = \"{quoted}\"\n"
    );
    let site = Site::with_database(&[("status.toml", &toml)], &database).await;
    until_heard_of(&database, 1).await;
    let config = site.config();
    for attack in ATTACKS {
        let new = incident(attack, attack, Impact::Minor);
        let open = innkeeper_hosting::open_incident;
        open(&config, &site.clock, new).await.unwrap();
    }
    let page = site.get("/v1/status.html").await.text();
    let feed = site.get("/v1/status.atom").await.text();
    let escape = |text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let text = text.replace('>', "&gt;").replace('"', "&quot;");
        text.replace('\'', "&#39;")
    };
    for attack in ATTACKS {
        let title = format!("<h3>{}</h3>", escape(attack));
        assert!(page.contains(&title), "{attack}");
        let title = format!("<title>{}</title>", escape(attack));
        assert!(feed.contains(&title), "{attack}");
        // HTML inside XML.
        let body = escape(&format!("<p>{}</p>", escape(attack)));
        assert!(feed.contains(&body), "{attack}: {feed}");
    }
    for text in [&page, &feed] {
        for forbidden in ["<script", "<img", "<iframe", "<base", "<math", "<![CDATA"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
    }
    // The style sheet and the bars are the page's own.
    assert!(!page.contains("<style") && !page.contains(" style="));
    assert_eq!(page.matches("<svg").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_feed_tells_of_incidents_and_maintenances() {
    let database = TestDatabase::empty().await.unwrap();
    let (site, _service) = site(&database).await;
    let new = incident("The door is stuck", "We look.", Impact::Minor);
    let open = innkeeper_hosting::open_incident;
    let opened = open(&site.config(), &site.clock, new).await.unwrap();
    let answer = site.get("/v1/status.atom").await;
    let kind = "application/atom+xml; charset=utf-8";
    assert_eq!(answer.header("content-type"), Some(kind));
    let (now, id) = (opened.started_at, opened.id);
    assert_eq!(
        answer.text(),
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>Inn</title>\n\
             <id>http://localhost:8080/#status</id>\n<link href=\"status.html\"/>\n\
             <link rel=\"self\" href=\"status.atom\"/>\n<updated>{now}</updated>\n\
             <author><name>Inn</name></author>\n\
             <entry>\n<title>The door is stuck</title>\n<id>http://localhost:8080/#{id}</id>\n\
             <link href=\"status.html#{id}\"/>\n<published>{now}</published>\n\
             <updated>{now}</updated>\n<content type=\"html\">&lt;p&gt;&lt;strong&gt;investigating\
             &lt;/strong&gt; {now:.0}&lt;/p&gt;\n&lt;p&gt;We look.&lt;/p&gt;\n</content>\n</entry>\n\
             </feed>\n"
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bars_show_the_last_ninety_days() {
    let database = TestDatabase::empty().await.unwrap();
    let (site, _service) = site(&database).await;
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    // What is too old, and what is not yet, is not shown.
    let observed = [(-90, 1), (-89, 0), (-40, 60_000), (-10, 43_200_000), (1, 1)];
    for (days, down_ms) in observed {
        let day = site.day(days);
        let insert = format!(
            "insert into hosting.check_days values ('door', '{day}', 86400000, {down_ms}, 1, 0)"
        );
        client.execute(&insert, &[]).await.unwrap();
    }
    site.pass(60).await;
    let page = site.get("/v1/status.html").await.text();
    let door = page.split("class=\"component\"").nth(1).unwrap();
    assert_eq!(door.matches("<rect ").count(), 90, "{door}");
    for days in [-90, 1] {
        let day = format!("<title>{}:", site.day(days));
        assert!(!door.contains(&day), "{day} {door}");
    }
    let bar = |class: &str, days: i64, text: &str| {
        let x = (89 + days) * 4;
        let day = site.day(days);
        let bar = format!(
            "<rect class=\"{class}\" x=\"{x}\" width=\"3\" height=\"10\"><title>{day}: {text}</title></rect>"
        );
        assert!(door.contains(&bar), "{bar}: {door}");
    };
    bar("up", -89, "no downtime");
    bar("partly", -40, "1 min of downtime");
    bar("down", -10, "12 h of downtime");
    bar("unknown", -1, "not observed");
    assert!(
        door.contains("<summary>2 days with downtime</summary>"),
        "{door}"
    );
    assert!(door.contains("% uptime"), "{door}");
    // Bars move on with the days, although nothing else changes.
    site.pass(86_400).await;
    let later = site.get("/v1/status.html").await.text();
    let first = format!("x=\"0\" width=\"3\" height=\"10\"><title>{}", site.day(-89));
    assert!(later.contains(&first), "{later}");
}

#[tokio::test]
async fn a_theme_follows_the_style_sheet_and_changes_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theme.css");
    std::fs::write(&path, "h1 { color: red }").unwrap();
    let theme = path.clone();
    let site = Site::start(&[], |config| config.content.status_css = Some(theme)).await;
    let styles = async || site.get("/v1/status.css").await.text();
    let own = include_str!("../../../src/status/html/status.css");
    assert_eq!(styles().await, format!("{own}h1 {{ color: red }}"));
    let page = site.get("/v1/status.html").await.text();
    assert!(page.contains("href=\"status.css\""), "{page}");

    std::fs::write(&path, "h1 { color: blue; }").unwrap();
    site.hosting.tick().await;
    assert!(styles().await.ends_with("h1 { color: blue; }"));
    // What cannot be used leaves the last good theme.
    std::fs::write(&path, "h1 { color: green").unwrap();
    site.hosting.tick().await;
    assert!(styles().await.ends_with("h1 { color: blue; }"));
    std::fs::remove_file(&path).unwrap();
    site.hosting.tick().await;
    assert!(styles().await.ends_with("h1 { color: blue; }"));
    std::fs::write(&path, "h1 { color: teal }").unwrap();
    site.hosting.tick().await;
    assert!(styles().await.ends_with("h1 { color: teal }"));
}
