//! `GET /v1/status`, its badge, and the endpoints for clients of Statuspage.

use innkeeper_hosting::status::{Impact, IncidentStatus};
use innkeeper_hosting::{NewIncident, NewMaintenance};
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::{Site, TcpService};

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// Starts a server with an open incident and an announced maintenance.
async fn busy() -> (Site, TcpService, TestDatabase) {
    let service = TcpService::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let toml = service.status_toml();
    let site = Site::with_database(&[("status.toml", &toml)], &database).await;
    let config = site.config();
    let incident = NewIncident {
        title: "The door is stuck".to_owned(),
        impact: Impact::Minor,
        status: IncidentStatus::Investigating,
        components: vec!["door".to_owned()],
        message: "We look.".to_owned(),
    };
    let open = innkeeper_hosting::open_incident;
    open(&config, &site.clock, incident).await.unwrap();
    let now = site.clock.now();
    let work = NewMaintenance {
        title: "New hinges".to_owned(),
        components: vec!["door".to_owned()],
        from: now + SignedDuration::from_hours(1),
        until: now + SignedDuration::from_hours(2),
        message: String::new(),
    };
    let schedule = innkeeper_hosting::schedule_maintenance;
    schedule(&config, &site.clock, work).await.unwrap();
    site.pass(30).await;
    (site, service, database)
}

/// Checks the shapes of components, incidents and maintenances.
fn check_parts(status: &Value) {
    let component = &status["components"][0];
    let expected = [
        "description",
        "group",
        "id",
        "name",
        "slug",
        "status",
        "updatedAt",
        "uptime",
    ];
    assert_eq!(keys(component), expected);
    assert_eq!(component["status"], "degraded_performance");
    assert_eq!(
        keys(&component["uptime"]),
        ["d1", "d30", "d7", "d90", "since"]
    );

    let incident = &status["incidents"][0];
    let expected = [
        "components",
        "id",
        "impact",
        "resolvedAt",
        "startedAt",
        "status",
        "title",
        "updates",
    ];
    assert_eq!(keys(incident), expected);
    assert_eq!(
        (&incident["impact"], &incident["resolvedAt"]),
        (&json!("minor"), &Value::Null)
    );
    assert_eq!(
        keys(&incident["updates"][0]),
        ["at", "body", "id", "status"]
    );
    let time = incident["startedAt"].as_str().unwrap();
    assert!(
        time.len() == 24 && time.ends_with('Z'),
        "milliseconds, UTC: {time}"
    );

    let work = &status["maintenances"][0];
    let expected = [
        "components",
        "id",
        "scheduledFor",
        "scheduledUntil",
        "status",
        "title",
        "updates",
    ];
    assert_eq!(keys(work), expected);
    assert_eq!(work["status"], "scheduled");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_has_its_shape() {
    let (site, _service, _database) = busy().await;
    let answer = site.get("/v1/status").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let cache = "public, max-age=15, stale-if-error=3600";
    assert_eq!(answer.header("cache-control"), Some(cache));
    let status = answer.json();
    assert_eq!(
        keys(&status),
        ["components", "incidents", "maintenances", "page", "status"]
    );
    assert_eq!(
        keys(&status["page"]),
        ["details", "name", "updatedAt", "url"]
    );
    // Relative to this document, because only proxies know its URL.
    assert_eq!(status["page"]["details"], "status.html");
    assert_eq!(status["page"]["name"], "Inn");
    let overall = json!({ "indicator": "minor", "description": "Minor problems" });
    assert_eq!(status["status"], overall);

    check_parts(&status);
    let tag = answer.header("etag").unwrap();
    let again = site.get_with("/v1/status", &[("if-none-match", tag)]).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    site.pass(1).await;
    let again = site.get_with("/v1/status", &[("if-none-match", tag)]).await;
    assert_eq!(again.status, 304, "nothing has changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_for_statuspage_read_the_same() {
    let (site, _service, _database) = busy().await;
    let get = async |name: &str| {
        let answer = site
            .get(&format!("/v1/statuspage/api/v2/{name}.json"))
            .await;
        assert_eq!((answer.status, name), (200, name));
        answer.json()
    };
    let summary = get("summary").await;
    let expected = [
        "components",
        "incidents",
        "page",
        "scheduled_maintenances",
        "status",
    ];
    assert_eq!(keys(&summary), expected);
    assert_eq!(
        keys(&summary["page"]),
        ["id", "name", "time_zone", "updated_at", "url"]
    );
    assert_eq!(summary["status"]["indicator"], "minor");
    // The group precedes its component.
    let group = &summary["components"][0];
    assert_eq!(
        (&group["group"], &group["components"]),
        (&json!(true), &json!(["door"]))
    );
    let door = &summary["components"][1];
    assert_eq!(door["group_id"], group["id"]);
    assert_eq!(door["status"], "degraded_performance");
    for key in [
        "created_at",
        "updated_at",
        "position",
        "page_id",
        "only_show_if_degraded",
    ] {
        assert!(!door[key].is_null(), "{key}: {door}");
    }
    let incident = &summary["incidents"][0];
    assert_eq!(
        (&incident["name"], &incident["impact"]),
        (&json!("The door is stuck"), &json!("minor"))
    );
    assert_eq!(
        incident["incident_updates"][0]["incident_id"],
        incident["id"]
    );
    let work = &summary["scheduled_maintenances"][0];
    assert_eq!(
        (&work["status"], &work["impact"]),
        (&json!("scheduled"), &json!("maintenance"))
    );
    let time = |name: &str| -> jiff::Timestamp { work[name].as_str().unwrap().parse().unwrap() };
    assert!(time("scheduled_for") < time("scheduled_until"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_part_of_the_summary_can_be_asked_for() {
    let (site, _service, _database) = busy().await;
    let get = async |name: &str| {
        let target = format!("/v1/statuspage/api/v2/{name}.json");
        site.get(&target).await.json()
    };
    let summary = get("summary").await;
    assert_eq!(get("status").await["status"], summary["status"]);
    assert_eq!(get("components").await["components"], summary["components"]);
    assert_eq!(get("incidents").await["incidents"], summary["incidents"]);
    let works = get("scheduled-maintenances").await;
    assert_eq!(
        works["scheduled_maintenances"],
        summary["scheduled_maintenances"]
    );
}

#[tokio::test]
async fn the_badge_is_a_picture_that_any_page_may_show() {
    let site = Site::demo().await;
    let badge = site.get("/v1/status/badge.svg").await;
    assert_eq!(badge.header("content-type"), Some("image/svg+xml"));
    assert_eq!(
        badge.header("cross-origin-resource-policy"),
        Some("cross-origin")
    );
    assert!(badge.text().contains("operational"), "{}", badge.text());
}

#[tokio::test]
async fn without_a_database_and_without_a_file_there_is_still_a_page() {
    let site = Site::with(&[]).await;
    let status = site.get("/v1/status").await.json();
    assert_eq!(status["status"]["indicator"], "none");
    assert_eq!(status["components"], json!([]));
    assert_eq!(status["page"]["name"], "Innkeeper");
}

#[tokio::test]
async fn a_broken_status_file_is_reported_and_the_last_good_one_holds() {
    let good = "[[components]]\nid = \"a\"\nname = \"A\"\n";
    let site = Site::with(&[("status.toml", good)]).await;
    site.write("status.toml", "[[components]]\nid = \"a\"\n");
    site.reload();
    assert_eq!(
        site.problems(),
        ["status.toml:1: component `a`: `name` is missing"]
    );
    site.hosting.tick().await;
    assert_eq!(site.component("a").await["name"], "A");
    site.write("status.toml", &good.replace("\"A\"", "\"B\""));
    site.reload();
    site.hosting.tick().await;
    assert_eq!(site.component("a").await["name"], "B");
}
