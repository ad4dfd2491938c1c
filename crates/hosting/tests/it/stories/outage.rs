//! Outages: the status page, the operator's incidents and maintenances, and the uptime.

use innkeeper_hosting::status::{Impact, IncidentStatus};
use innkeeper_hosting::{NewIncident, NewMaintenance, OperateError};
use innkeeper_service::testing::TestDatabase;
use jiff::SignedDuration;
use serde_json::json;
use tokio_postgres::NoTls;

use crate::support::{Site, TcpService, eventually};

async fn site() -> (Site, TcpService, TestDatabase) {
    let service = TcpService::start().await;
    let database = TestDatabase::empty().await.unwrap();
    let toml = service.status_toml();
    let site = Site::with_database(&[("status.toml", &toml)], &database).await;
    (site, service, database)
}

async fn indicator(site: &Site) -> String {
    let status = site.get("/v1/status").await.json();
    status["status"]["indicator"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_believed_after_three_failures_and_over_after_two_answers() {
    let (site, mut service, _database) = site().await;
    site.pass(30).await;
    assert_eq!(site.component("door").await["status"], "operational");
    service.stop().await;
    for _ in 0..2 {
        site.pass(30).await;
        assert_eq!(site.component("door").await["status"], "operational");
    }
    site.pass(30).await;
    assert_eq!(site.component("door").await["status"], "major_outage");
    assert_eq!(indicator(&site).await, "major");
    let badge = site.get("/v1/status/badge.svg").await.text();
    assert!(badge.contains("partial outage"), "{badge}");
    service.restart().await;
    site.pass(30).await;
    assert_eq!(site.component("door").await["status"], "major_outage");
    site.pass(30).await;
    assert_eq!(site.component("door").await["status"], "operational");
    // Six rounds of half a minute were observed; three of them count as down.
    site.pass(60).await;
    let uptime = site.component("door").await["uptime"].clone();
    let d1 = uptime["d1"].as_f64().unwrap();
    assert!((60.0..85.0).contains(&d1), "{uptime}");
    assert_eq!(
        uptime["d90"], uptime["d1"],
        "over the observed time: {uptime}"
    );
    assert!(uptime["since"].is_string(), "{uptime}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_begins_and_ends_by_itself_and_is_no_downtime() {
    let (site, mut service, _database) = site().await;
    let now = site.clock.now();
    let work = NewMaintenance {
        title: "New hinges".to_owned(),
        components: vec!["door".to_owned()],
        from: now + SignedDuration::from_mins(10),
        until: now + SignedDuration::from_mins(20),
        message: "Ring the bell.".to_owned(),
    };
    let schedule = innkeeper_hosting::schedule_maintenance;
    schedule(&site.config(), &site.clock, work).await.unwrap();
    site.pass(30).await;
    assert_eq!(indicator(&site).await, "none");
    // The maintenance begins without a command.
    site.clock.advance(SignedDuration::from_mins(10));
    assert_eq!(indicator(&site).await, "maintenance");
    assert_eq!(site.component("door").await["status"], "under_maintenance");
    assert_eq!(site.component("data").await["status"], "operational");
    service.stop().await;
    for _ in 0..4 {
        site.pass(30).await;
    }
    assert_eq!(site.component("door").await["status"], "under_maintenance");
    service.restart().await;
    for _ in 0..4 {
        site.pass(30).await;
    }
    site.clock.advance(SignedDuration::from_mins(10));
    let status = site.get("/v1/status").await.json();
    assert_eq!(status["status"]["indicator"], "none");
    assert_eq!(status["maintenances"][0]["status"], "completed");
    let updates = status["maintenances"][0]["updates"].as_array().unwrap();
    let said: Vec<_> = updates
        .iter()
        .map(|update| update["status"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["completed", "in_progress", "scheduled"]);
    site.pass(30).await;
    site.pass(61).await;
    assert_eq!(site.component("door").await["uptime"]["d1"], json!(100.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_opens_updates_and_closes_an_incident() {
    let (site, _service, _database) = site().await;
    let (config, clock) = (site.config(), &site.clock);
    let new = |component: &str| NewIncident {
        title: "Smoke".to_owned(),
        impact: Impact::Minor,
        status: IncidentStatus::Investigating,
        components: vec![component.to_owned()],
        message: "We look.".to_owned(),
    };
    let refused = innkeeper_hosting::open_incident(&config, clock, new("roof")).await;
    let refused = refused.unwrap_err().to_string();
    assert_eq!(
        refused,
        "component roof is not in status.toml, which has door, data"
    );
    let incident = innkeeper_hosting::open_incident(&config, clock, new("door"))
        .await
        .unwrap();
    site.pass(1).await;
    assert_eq!(indicator(&site).await, "minor");
    let update = innkeeper_hosting::update_incident;
    let (status, impact) = (IncidentStatus::Identified, Some(Impact::Critical));
    update(&config, clock, &incident.id, status, impact, "A fire.")
        .await
        .unwrap();
    site.pass(1).await;
    assert_eq!(indicator(&site).await, "critical");
    assert_eq!(site.component("door").await["status"], "major_outage");
    let resolved = IncidentStatus::Resolved;
    let updated = update(&config, clock, &incident.id, resolved, None, "It is out.").await;
    updated.unwrap();
    site.pass(1).await;
    let status = site.get("/v1/status").await.json();
    assert_eq!(status["status"]["indicator"], "none");
    let shown = &status["incidents"][0];
    assert_eq!(
        (&shown["status"], &shown["impact"]),
        (&json!("resolved"), &json!("critical"))
    );
    assert!(shown["resolvedAt"].is_string());
    let said = shown["updates"].as_array().unwrap().iter();
    let said: Vec<_> = said
        .map(|update| update["body"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["It is out.", "A fire.", "We look."]);
    let unknown = update(
        &config,
        clock,
        "inc-nothing",
        IncidentStatus::Resolved,
        None,
        "x",
    )
    .await;
    assert!(
        matches!(unknown, Err(OperateError::Unknown { .. })),
        "{unknown:?}"
    );
    // A week after it was resolved, the incident is not shown.
    site.pass(8 * 24 * 3600).await;
    assert_eq!(site.get("/v1/status").await.json()["incidents"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incident_that_is_major_counts_as_downtime_of_its_components() {
    let database = TestDatabase::empty().await.unwrap();
    let toml = "[[components]]\nid = \"games\"\nname = \"Games\"\n\
                [[components]]\nid = \"mail\"\nname = \"Mail\"\n";
    let site = Site::with_database(&[("status.toml", toml)], &database).await;
    let (config, clock) = (site.config(), &site.clock);
    let wait = async |minutes: i64| {
        for _ in 0..2 * minutes {
            site.pass(30).await;
        }
    };
    let new = |impact, component: &str| NewIncident {
        title: "Smoke".to_owned(),
        impact,
        status: IncidentStatus::Investigating,
        components: vec![component.to_owned()],
        message: "We look.".to_owned(),
    };
    wait(10).await;
    let open = innkeeper_hosting::open_incident;
    let major = open(&config, clock, new(Impact::Major, "games")).await;
    open(&config, clock, new(Impact::Minor, "mail"))
        .await
        .unwrap();
    wait(10).await;
    let (status, impact) = (IncidentStatus::Resolved, None);
    let id = major.unwrap().id;
    let closed =
        innkeeper_hosting::update_incident(&config, clock, &id, status, impact, "Over.").await;
    closed.unwrap();
    wait(20).await;
    let games = site.component("games").await;
    let d1 = games["uptime"]["d1"].as_f64().unwrap();
    assert!((70.0..80.0).contains(&d1), "ten of forty minutes: {games}");
    let mail = site.component("mail").await;
    assert_eq!(mail["uptime"]["d1"], json!(100.0), "it worked, if slowly");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_of_this_server_is_probed_wherever_it_listens() {
    let toml = "failures = 1\n[[components]]\nid = \"api\"\nname = \"API\"\n\
                probes = [{ kind = \"http\", url = \"/health\" }]\n\
                [[components]]\nid = \"nothing\"\nname = \"Nothing\"\n\
                probes = [{ kind = \"http\", url = \"/v1/nothing\" }]\n";
    let site = Site::start(&[("status.toml", toml)], |config| {
        config.database.probes = true;
    })
    .await;
    eventually("the server listens", async || {
        site.get("/health").await.status == 200
    })
    .await;
    site.pass(31).await;
    assert_eq!(site.component("api").await["status"], "operational");
    assert_eq!(site.component("nothing").await["status"], "major_outage");
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_become_sums_of_days_after_a_week() {
    let (site, _service, database) = site().await;
    for _ in 0..3 {
        site.pass(30).await;
    }
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let count = async |table: &str| {
        let count = format!("select count(*) from hosting.{table} where component = 'door'");
        client
            .query_one(&count, &[])
            .await
            .unwrap()
            .get::<_, i64>(0)
    };
    let raw = count("checks").await;
    assert!(raw >= 4, "{raw}");
    site.pass(6 * 24 * 3600).await;
    assert_eq!(count("check_days").await, 0, "a week is kept in full");
    site.pass(3 * 24 * 3600).await;
    assert!(count("check_days").await >= 1);
    assert_eq!(count("checks").await, 2, "those of the last days");
    let uptime = site.component("door").await["uptime"].clone();
    assert_eq!(
        (&uptime["d30"], &uptime["d90"]),
        (&json!(100.0), &json!(100.0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn uptime_of_a_period_counts_the_downtime_of_that_period() {
    let (site, _service, database) = site().await;
    site.pass(30).await;
    let (client, connection) = tokio_postgres::connect(database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    // Half of a day two weeks ago, and a whole day two months ago.
    for (days_ago, down_ms) in [(15, 43_200_000_i64), (60, 86_400_000)] {
        let insert = "insert into hosting.check_days (component, day, observed_ms, down_ms, checks, failures) \
                      values ('door', $1::text::date - $2::int, 86400000, $3, 2880, 1440)";
        let today = site.clock.now().strftime("%F").to_string();
        let inserted = client.execute(insert, &[&today, &days_ago, &down_ms]).await;
        assert_eq!(inserted.unwrap(), 1);
    }
    site.pass(60).await;
    let uptime = site.component("door").await["uptime"].clone();
    for (period, expected) in [
        ("d1", 100.0..100.1),
        ("d7", 100.0..100.1),
        ("d30", 50.0..51.0),
        ("d90", 25.0..26.0),
    ] {
        let percentage = uptime[period].as_f64().unwrap();
        assert!(expected.contains(&percentage), "{period}: {uptime}");
    }
}
