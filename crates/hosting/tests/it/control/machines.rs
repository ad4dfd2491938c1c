//! `GET /v1/hosting/cloud/vps-custom`, `GET /v1/hosting/game`, and details.

use innkeeper_hosting::model::Scope;
use serde_json::{Value, json};

use super::assert_refused;
use super::bench::{Bench, GAME, VPS, text};

/// Returns the ids of a list and the cursor of its next page.
fn ids(list: &Value) -> (Vec<&str>, Option<&str>) {
    let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
    let ids = items.iter().map(|item| text(&item["id"])).collect();
    (ids, list["nextCursor"].as_str())
}

#[tokio::test]
async fn a_vps_has_every_field() {
    let bench = Bench::start().await;
    bench.vps("web-1").await;
    let answer = bench.get(&format!("{VPS}/web-1")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let now = format!("{:.3}", bench.site().clock.now());
    let expected = json!({
        "id": "web-1", "name": "The web-1", "state": "stopped", "desiredState": "stopped",
        "observedState": "stopped", "observedAt": now, "stopReason": null, "plan": "S",
        "location": "Turku", "ipv4": [], "ipv6": [], "ports": [], "image": "/srv/tiny.img",
        "specs": { "cpuCores": 2.0, "memoryBytes": 16 << 20, "diskBytes": 1 << 20 },
        "createdAt": now, "startedAt": null, "suspended": false, "lock": null, "currentAction": null,
    });
    assert_eq!(answer.json(), expected);
    let list = bench.get(VPS).await.json();
    assert_eq!(list, json!({ "items": [expected], "nextCursor": null }));
}

#[tokio::test]
async fn a_game_server_has_every_field() {
    let bench = Bench::start().await;
    bench.game("mc").await;
    bench
        .set(
            "mc",
            "stopped_at = observed_at, exit_code = 137, exit_signal = 9, stop_reason = 'oom', \
             desired = 'running', crashes = array[observed_at], restart_at = observed_at, \
             addresses = array['192.0.2.7', '2001:db8::7']",
        )
        .await;
    let now = format!("{:.3}", bench.site().clock.now());
    let expected = json!({
        "id": "mc", "name": "The mc", "state": "crashed", "desiredState": "running",
        "observedState": "stopped", "observedAt": now, "stopReason": "oom", "plan": "S",
        "location": "Turku", "ipv4": ["192.0.2.7"], "ipv6": ["2001:db8::7"],
        "ports": [{ "protocol": "tcp", "port": 30000, "machinePort": 25565 }],
        "specs": { "cpuCores": 0.5, "memoryBytes": 64 << 20, "diskBytes": 10 << 20 },
        "createdAt": now, "startedAt": null, "suspended": false, "lock": null, "currentAction": null,
        "game": "demo", "version": "1.2", "address": "192.0.2.7", "port": 30000, "slots": 20,
        "players": null, "lastExit": { "code": 137, "signal": 9, "oom": true, "at": now },
        "crashCount": 1, "autoRestart": true, "restartAt": now, "stats": null,
    });
    assert_eq!(bench.get(&format!("{GAME}/mc")).await.json(), expected);
    assert_eq!(bench.get(GAME).await.json()["items"], json!([expected]));
    bench.game("other").await;
    let other = bench.get(&format!("{GAME}/other")).await.json();
    assert_eq!(
        (&other["address"], &other["port"]),
        (&json!("play.inn.example"), &json!(30001))
    );
}

#[tokio::test]
async fn lists_have_pages_without_gap_or_repeat() {
    let bench = Bench::start().await;
    for id in ["b", "a.1", "C", "a", "~z".trim_start_matches('~')] {
        bench.vps(id).await;
    }
    let mut seen = Vec::new();
    let mut target = format!("{VPS}?limit=2");
    loop {
        let answer = bench.get(&target).await;
        let list = answer.json();
        let (page, next) = ids(&list);
        seen.extend(page.iter().map(|id| (*id).to_owned()));
        let Some(next) = next else {
            assert_eq!(answer.header("link"), None);
            break;
        };
        assert_eq!(page.len(), 2);
        target = format!("{VPS}?cursor={next}&limit=2");
        let link = format!("<{target}>; rel=\"next\"");
        assert_eq!(answer.header("link"), Some(&*link));
        // What comes before the cursor does not shift the pages.
        bench.vps(&format!("0{}", seen.len())).await;
    }
    assert_eq!(seen, ["C", "a", "a.1", "b", "z"], "by their bytes");
}

#[tokio::test]
async fn parameters_of_lists_are_checked() {
    let bench = Bench::start().await;
    for query in [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=",
        "cursor=nonsense",
        "cursor=Nw",
        // A text with NUL, which no id has.
        "cursor=IgBhIg",
        "cursor=Ilx1MDAwMCI",
        "limit=1&limit=2",
    ] {
        for list in [VPS, GAME, "/v1/hosting/actions"] {
            let answer = bench.get(&format!("{list}?{query}")).await;
            assert_refused(&answer, 400, "invalid_request");
        }
    }
    assert_eq!(bench.get(&format!("{VPS}?limit=100")).await.status, 200);
}

#[tokio::test]
async fn a_key_sees_the_machines_of_its_customer_and_of_its_list() {
    let bench = Bench::start().await;
    let south = bench.control.customer("South").await;
    for id in ["one", "two"] {
        bench.vps(id).await;
        bench.game(id).await;
    }
    bench.vps_of(&south, "three").await;
    bench.game_of(&south, "three").await;
    for list in [VPS, GAME] {
        let all = bench.get(list).await.json();
        assert_eq!(ids(&all).0, ["one", "two"], "{list}");
    }
    let key = bench
        .control
        .key_with(&bench.customer, &[Scope::All], |new| {
            new.machines = vec!["vps:two".to_owned()];
        });
    let key = key.await.text.reveal().clone();
    let some = bench.get_by(&key, VPS).await.json();
    assert_eq!(ids(&some), (vec!["two"], None));
    let none = bench.get_by(&key, GAME).await.json();
    assert_eq!(ids(&none), (vec![], None));
    assert_eq!(bench.get_by(&key, &format!("{VPS}/two")).await.status, 200);
    for path in [
        format!("{VPS}/one"),
        format!("{GAME}/two"),
        format!("{VPS}/three"),
    ] {
        assert_refused(&bench.get_by(&key, &path).await, 404, "not_found");
    }
}

#[tokio::test]
async fn a_game_server_may_have_the_name_of_a_path() {
    let bench = Bench::start().await;
    for id in ["power", "console", "logs"] {
        let path = format!("{GAME}/{id}");
        assert_refused(&bench.get(&path).await, 404, "not_found");
        bench.game(id).await;
        assert_eq!(bench.get(&path).await.json()["id"], id);
        let start = bench.post(&format!("{GAME}/power/{id}/start")).await;
        assert_eq!(start.status, 202, "{id}");
    }
}

#[tokio::test]
async fn lists_and_details_need_the_scope_to_read() {
    let bench = Bench::start().await;
    bench.vps("web").await;
    bench.game("mc").await;
    let vps = bench.key_for(&[Scope::VpsRead]).await;
    let game = bench.key_for(&[Scope::GameRead]).await;
    for (key, allowed, refused) in [(&vps, VPS, GAME), (&game, GAME, VPS)] {
        assert_eq!(bench.get_by(key, allowed).await.status, 200);
        assert_refused(&bench.get_by(key, refused).await, 403, "insufficient_scope");
        // Also for machines that do not exist.
        let path = format!("{refused}/nothing");
        assert_refused(&bench.get_by(key, &path).await, 403, "insufficient_scope");
    }
}
