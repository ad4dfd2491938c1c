//! `GET /v1/hosting/actions` and `/{id}`.

use innkeeper_hosting::model::{ActionCommand, MachineKind, Scope};
use serde_json::{Value, json};

use super::assert_refused;
use super::bench::{ACTIONS, Bench, POWER, VPS, text};

/// Returns the commands and servers of a list.
fn shown(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
    let shown = items.iter().map(|action| {
        let server = &action["server"];
        format!(
            "{} {}:{}",
            text(&action["command"]),
            text(&server["type"]),
            text(&server["id"])
        )
    });
    shown.collect()
}

/// Makes some actions, a second apart.
async fn history() -> Bench {
    let bench = Bench::start().await;
    for id in ["one", "two"] {
        bench.vps(id).await;
        bench.game(id).await;
    }
    for path in [
        format!("{VPS}/one/stop"),
        format!("{POWER}/one/start"),
        format!("{POWER}/one/kill"),
        format!("{VPS}/two/start"),
        format!("{POWER}/two/restart"),
    ] {
        assert!(bench.post(&path).await.status < 300, "{path}");
        bench
            .control
            .site
            .clock
            .advance(jiff::SignedDuration::from_secs(1));
    }
    bench
}

#[tokio::test]
async fn actions_are_listed_newest_first_with_pages() {
    let bench = history().await;
    let all = bench.get(ACTIONS).await.json();
    let expected = [
        "restart game:two",
        "start vps:two",
        "kill game:one",
        "start game:one",
        "stop vps:one",
    ];
    assert_eq!(shown(&all), expected);
    assert_eq!(all["nextCursor"], Value::Null);
    let mut pages = Vec::new();
    let mut target = format!("{ACTIONS}?limit=2");
    loop {
        let page = bench.get(&target).await.json();
        pages.extend(shown(&page));
        match page["nextCursor"].as_str() {
            Some(next) => target = format!("{ACTIONS}?limit=2&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(pages, expected);
}

#[tokio::test]
async fn actions_are_filtered_by_server_type_status_and_command() {
    let bench = history().await;
    for (query, expected) in [
        (
            "server=one",
            &["kill game:one", "start game:one", "stop vps:one"][..],
        ),
        ("server=one&type=vps", &["stop vps:one"]),
        ("type=vps", &["start vps:two", "stop vps:one"]),
        ("status=cancelled", &["start game:one"]),
        ("status=success", &["stop vps:one"]),
        ("command=start", &["start vps:two", "start game:one"]),
        ("command=start&server=two", &["start vps:two"]),
        ("server=nothing", &[]),
        ("server=%25", &[]),
        ("server=", &[]),
    ] {
        let list = bench.get(&format!("{ACTIONS}?{query}")).await.json();
        assert_eq!(shown(&list), expected, "{query}");
    }
    for query in [
        "status=done",
        "command=explode",
        "type=car",
        "status=",
        "status=success&status=error",
    ] {
        let answer = bench.get(&format!("{ACTIONS}?{query}")).await;
        assert_refused(&answer, 400, "invalid_request");
    }
}

#[tokio::test]
async fn a_key_sees_actions_on_the_machines_that_it_may_use() {
    let bench = history().await;
    let south = bench.control.customer("South").await;
    let foreign = bench.control.key(&south, &[Scope::All]).await;
    let foreign = foreign.text.reveal().as_str();
    assert_eq!(shown(&bench.get_by(foreign, ACTIONS).await.json()), [""; 0]);
    let all = bench.get(ACTIONS).await.json();
    let restart = format!("{ACTIONS}/{}", text(&all["items"][0]["id"]));
    assert_refused(&bench.get_by(foreign, &restart).await, 404, "not_found");

    let vps = bench.key_for(&[Scope::VpsRead]).await;
    let seen = bench.get_by(&vps, ACTIONS).await.json();
    assert_eq!(shown(&seen), ["start vps:two", "stop vps:one"]);
    let hidden = bench
        .get_by(&vps, &format!("{ACTIONS}?type=game"))
        .await
        .json();
    assert_eq!(shown(&hidden), [""; 0]);
    assert_refused(&bench.get_by(&vps, &restart).await, 404, "not_found");
    // Who may start servers sees what becomes of that.
    let power = bench.key_for(&[Scope::GamePower]).await;
    assert_eq!(bench.get_by(&power, &restart).await.status, 200);

    let key = bench
        .control
        .key_with(&bench.customer, &[Scope::All], |new| {
            new.machines = vec!["game:one".to_owned()];
        });
    let key = key.await.text.reveal().clone();
    let seen = bench.get_by(&key, ACTIONS).await.json();
    assert_eq!(shown(&seen), ["kill game:one", "start game:one"]);
    assert_refused(&bench.get_by(&key, &restart).await, 404, "not_found");
    let console = bench.key_for(&[Scope::GameConsoleRead]).await;
    for path in [ACTIONS, &restart, "/v1/hosting/actions/nothing"] {
        assert_refused(
            &bench.get_by(&console, path).await,
            403,
            "insufficient_scope",
        );
    }
}

#[tokio::test]
async fn actions_of_operators_show_no_key() {
    let bench = Bench::start().await;
    bench.game("mc").await;
    bench
        .operate(MachineKind::Game, "mc", ActionCommand::Suspend)
        .await;
    let list = bench.get(ACTIONS).await.json();
    let action = &list["items"][0];
    assert_eq!(action["command"], "suspend");
    let expected = json!({ "type": "operator", "keyId": null, "ip": null });
    assert_eq!(action["requestedBy"], expected);
    assert_eq!(action["server"]["state"], "suspended");
}
