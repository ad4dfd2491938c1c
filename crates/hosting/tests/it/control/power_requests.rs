//! Bodies and headers of power requests.

use innkeeper_hosting::model::{MachineKind, Scope};
use serde_json::{Value, json};

use super::assert_refused;
use super::bench::{ACTIONS, Bench, POWER, VPS, power_path, text};

const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn a_start_answers_with_its_action_and_the_server() {
    let bench = Bench::start().await;
    bench.vps("web-1").await;
    let answer = bench.post(&format!("{VPS}/web-1/start")).await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("preference-applied"), None);
    let body = answer.json();
    let key_id = bench.get("/v1/hosting/key").await.json()["id"].clone();
    let action = &body["action"];
    assert!(text(&action["id"]).starts_with("act_"), "{action}");
    let now = format!("{:.3}", bench.site().clock.now());
    let expected = json!({
        "id": action["id"], "command": "start", "status": "queued", "progress": 0, "result": null,
        "requestedBy": { "type": "key", "keyId": key_id, "ip": "127.0.0.1" },
        "queuedAt": now, "startedAt": null, "finishedAt": null, "error": null, "supersededBy": null,
        "server": { "type": "vps", "id": "web-1", "state": "starting" },
    });
    assert_eq!(*action, expected);
    assert_eq!(body["server"]["id"], "web-1");
    assert_eq!(body["server"]["desiredState"], "running");
    // The action is found where the answer says.
    let found = bench.get(answer.header("location").unwrap()).await;
    assert_eq!((found.status, found.json()), (200, expected));
}

#[tokio::test]
async fn bodies_are_optional_and_read_strictly() {
    let bench = Bench::start().await;
    bench.game("mc").await;
    bench.vps("web").await;
    let game = |command| power_path(MachineKind::Game, "mc", command);
    let vps = |command| power_path(MachineKind::Vps, "web", command);
    for body in [
        "",
        "{}",
        "null",
        r#"{"timeoutSeconds":0}"#,
        r#"{"timeoutSeconds":600,"force":false}"#,
    ] {
        for path in [game("stop"), vps("stop")] {
            assert_eq!(
                bench.post_json(&path, body).await.status,
                200,
                "{path} {body}"
            );
        }
    }
    for path in [game("start"), vps("start")] {
        assert_eq!(bench.post_json(&path, "{}").await.status, 202, "{path}");
    }
    for (body, status) in [
        ("{", 400),
        ("[]", 422),
        ("7", 422),
        (r#"{"timeout":5}"#, 422),
        (r#"{"timeoutSeconds":601}"#, 422),
        (r#"{"timeoutSeconds":-1}"#, 422),
        (r#"{"timeoutSeconds":1.5}"#, 422),
        (r#"{"timeoutSeconds":"5"}"#, 422),
        (r#"{"force":1}"#, 422),
        (r#"{"force":true,"force":true}"#, 422),
    ] {
        for path in [game("stop"), game("restart"), vps("stop")] {
            let answer = bench.post_json(&path, body).await;
            assert_refused(&answer, status, "invalid_request");
            assert_eq!(answer.json()["state"], Value::Null, "{body}");
        }
    }
    for path in [game("start"), game("kill"), vps("start"), vps("reset")] {
        let answer = bench.post_json(&path, r#"{"force":true}"#).await;
        assert_refused(&answer, 422, "invalid_request");
    }
    let wrong = bench
        .post_json(&vps("stop"), r#"{"timeoutSeconds":601}"#)
        .await
        .json();
    let expected = json!([{ "pointer": "/timeoutSeconds", "detail": "expected 0 to 600" }]);
    assert_eq!(wrong["errors"], expected);
}

#[tokio::test]
async fn a_body_is_json_and_small() {
    let bench = Bench::start().await;
    bench.vps("web").await;
    let path = format!("{VPS}/web/stop");
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "nonsense",
    ] {
        let header = [("content-type", media_type)];
        let answer = bench.post_with(&path, &header, "{}").await;
        assert_refused(&answer, 415, "unsupported_media_type");
        // Without a body, its type does not matter.
        assert_eq!(bench.post_with(&path, &header, "").await.status, 200);
    }
    assert_eq!(
        bench.post_with(&path, &[], "{}").await.status,
        200,
        "no type"
    );
    let large = format!("{{\"x\":\"{}\"}}", "y".repeat(16 * 1024));
    let answer = bench.post_json(&path, &large).await;
    assert_refused(&answer, 413, "payload_too_large");
}

#[tokio::test]
async fn options_decide_how_long_a_machine_has_to_stop() {
    let bench = Bench::start().await;
    for (id, body, seconds, command) in [
        ("usual", "", 30, "stop"),
        ("longer", r#"{"timeoutSeconds":90}"#, 90, "stop"),
        ("at-once", r#"{"force":true}"#, 0, "kill"),
    ] {
        bench.game(id).await;
        bench.set_running(id).await;
        let answer = bench.post_json(&format!("{POWER}/{id}/stop"), body).await;
        assert_eq!(answer.json()["action"]["command"], command, "{id}");
        let row = "select a.stop_seconds from actions a join machines m on m.id = a.machine_id
                   where m.public_id = $1";
        let row = bench.sql.query_one(row, &[&id]).await.unwrap();
        assert_eq!(row.get::<_, i32>(0), seconds, "{id}");
    }
}

#[tokio::test]
async fn force_needs_the_scope_to_kill_for_game_servers_only() {
    let bench = Bench::start().await;
    bench.game("mc").await;
    bench.vps("web").await;
    let key = bench.key_for(&[Scope::GamePower, Scope::VpsPower]).await;
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", &*bearer), JSON];
    let send = async |path: String, body: &str| {
        bench.site().send_body("POST", &path, &headers, body).await
    };
    for command in ["stop", "restart"] {
        let path = format!("{POWER}/mc/{command}");
        let answer = send(path, r#"{"force":true}"#).await;
        assert_refused(&answer, 403, "insufficient_scope");
        assert!(text(&answer.json()["detail"]).contains("game:kill"));
    }
    let answer = send(format!("{POWER}/mc/kill"), "").await;
    assert_refused(&answer, 403, "insufficient_scope");
    assert_eq!(send(format!("{POWER}/mc/stop"), "{}").await.status, 200);
    assert_eq!(
        send(format!("{VPS}/web/stop"), r#"{"force":true}"#)
            .await
            .status,
        200
    );
    let killer = bench.key_for(&[Scope::GameKill]).await;
    let kill = bench.post_by(&killer, &format!("{POWER}/mc/kill")).await;
    assert_eq!(kill.status, 200);
    let stop = bench.post_by(&killer, &format!("{POWER}/mc/stop")).await;
    assert_refused(&stop, 403, "insufficient_scope");
}

#[tokio::test]
async fn a_repeated_request_with_an_idempotency_key_is_answered_with_the_same_action() {
    let bench = Bench::start().await;
    bench.vps("web").await;
    bench.vps("db").await;
    let start = async |id: &str, key: &str| {
        let header = [("idempotency-key", key)];
        bench
            .post_with(&format!("{VPS}/{id}/start"), &header, "")
            .await
    };
    let first = start("web", "deploy 7").await;
    let again = start("web", "deploy 7").await;
    assert_eq!((first.status, again.status), (202, 202));
    assert_eq!(first.json()["action"]["id"], again.json()["action"]["id"]);
    assert_eq!(first.header("location"), again.header("location"));
    let list = bench.get(ACTIONS).await.json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list}");
    // The same key for something else is a mistake.
    assert_refused(&start("db", "deploy 7").await, 422, "idempotency_mismatch");
    let stop = bench
        .post_with(
            &format!("{VPS}/web/stop"),
            &[("idempotency-key", "deploy 7")],
            "",
        )
        .await;
    assert_refused(&stop, 422, "idempotency_mismatch");
    // Keys of other customers are others.
    let south = bench.control.customer("South").await;
    bench.vps_of(&south, "south").await;
    let key = bench.control.key(&south, &[Scope::All]).await;
    let bearer = format!("Bearer {}", key.text.reveal());
    let headers = [("authorization", &*bearer), ("idempotency-key", "deploy 7")];
    let other = bench
        .site()
        .send("POST", &format!("{VPS}/south/start"), &headers)
        .await;
    assert_eq!(other.status, 202);
}

#[tokio::test]
async fn headers_that_cannot_be_meant_are_refused() {
    let bench = Bench::start().await;
    bench.vps("web").await;
    let path = format!("{VPS}/web/start");
    let long = "k".repeat(256);
    for (name, value) in [
        ("idempotency-key", ""),
        ("idempotency-key", &*long),
        ("prefer", "wait=0"),
        ("prefer", "wait=31"),
        ("prefer", "wait=soon"),
    ] {
        let answer = bench.post_with(&path, &[(name, value)], "").await;
        assert_refused(&answer, 400, "invalid_request");
        let parameter = answer.json()["parameter"].clone();
        assert_eq!(text(&parameter).to_lowercase(), name);
    }
    let twice = [("idempotency-key", "a"), ("idempotency-key", "a")];
    assert_refused(
        &bench.post_with(&path, &twice, "").await,
        400,
        "invalid_request",
    );
    let list = bench.get(ACTIONS).await.json();
    assert_eq!(list["items"], json!([]), "nothing was started");
}

#[tokio::test]
async fn a_wait_that_ends_too_early_says_so_with_202() {
    let bench = Bench::start().await;
    bench.vps("web").await;
    let header = [("prefer", "respond-async, wait=1")];
    // Nobody carries the action out.
    let answer = bench
        .post_with(&format!("{VPS}/web/start"), &header, "")
        .await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("preference-applied"), Some("wait=1"));
    assert_eq!(answer.json()["action"]["status"], "queued");
    // What has ended needs no wait.
    let noop = bench
        .post_with(
            &format!("{VPS}/web/start"),
            &[("prefer", "return=minimal")],
            "",
        )
        .await;
    assert_eq!(noop.header("preference-applied"), None);
}
