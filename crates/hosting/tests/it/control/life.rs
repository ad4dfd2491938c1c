//! The life of machines, from the first start to their removal, on engines in memory.

use innkeeper_hosting::machine::{self, PowerTask};
use innkeeper_hosting::model::{ActionCommand, MachineKind};
use innkeeper_hosting::testing::{EngineCall, EngineError, MemoryHost, Moment};
use serde_json::{Value, json};
use uuid::Uuid;

use super::assert_refused;
use super::bench::{Bench, GAME, POWER, VPS, text};
use crate::support::eventually;

/// Sends a request that waits for the end of its action, and returns the answer.
async fn finished(bench: &Bench, path: &str) -> Value {
    let answer = bench.post_with(path, &[("prefer", "wait=30")], "").await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    assert_eq!(answer.header("preference-applied"), Some("wait=30"));
    answer.json()
}

/// Returns the id by which the host knows a machine.
async fn on_host(bench: &Bench, id: &str) -> Uuid {
    let find = "select id from machines where public_id = $1";
    bench.sql.query_one(find, &[&id]).await.unwrap().get(0)
}

/// Returns how often a machine was started.
fn starts(host: &MemoryHost, machine: Uuid) -> usize {
    let changes = host.changes_of(machine).into_iter();
    changes.filter(|call| *call == EngineCall::Start).count()
}

#[tokio::test]
async fn a_game_server_is_started_restarted_stopped_and_killed() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.game("mc").await;
    let machine = on_host(&bench, "mc").await;
    let started = finished(&bench, &format!("{POWER}/mc/start")).await;
    assert!(host.is_running(machine));
    assert_eq!(started["action"]["result"], "done");
    assert_eq!(started["action"]["progress"], 100);
    assert_eq!(started["server"]["state"], "running");
    let shown = bench.get(&format!("{GAME}/mc")).await.json();
    assert_eq!(shown["stats"]["memoryLimitBytes"], 64 << 20);
    assert!(shown["startedAt"].is_string(), "{shown}");
    let restarted = finished(&bench, &format!("{POWER}/mc/restart")).await;
    assert_eq!(restarted["server"]["state"], "running");
    assert_eq!(starts(&host, machine), 2);
    let stopped = finished(&bench, &format!("{POWER}/mc/stop")).await;
    assert!(!host.is_running(machine));
    assert_eq!(stopped["server"]["state"], "stopped");
    assert_eq!(stopped["server"]["stopReason"], "requested");
    assert_eq!(stopped["server"]["lastExit"]["code"], 0);
    finished(&bench, &format!("{POWER}/mc/start")).await;
    let killed = finished(&bench, &format!("{POWER}/mc/kill")).await;
    assert_eq!(killed["server"]["stopReason"], "forced");
    assert!(!host.is_running(machine));
    let end = host.changes_of(machine).pop();
    assert_eq!(end, Some(EngineCall::TurnOff));
    let off = bench.get(&format!("{GAME}/mc")).await.json();
    assert_eq!(
        (&off["stats"], &off["state"]),
        (&Value::Null, &json!("stopped"))
    );
    let list = bench.get("/v1/hosting/actions?status=success").await.json();
    assert_eq!(list["items"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_vps_is_started_reset_and_stopped() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.vps("web").await;
    let machine = on_host(&bench, "web").await;
    let started = finished(&bench, &format!("{VPS}/web/start")).await;
    assert_eq!(started["server"]["state"], "running");
    assert_eq!((host.is_running(machine), host.boots(machine)), (true, 1));
    let reset = finished(&bench, &format!("{VPS}/web/reset")).await;
    assert_eq!(reset["server"]["state"], "running");
    assert_eq!((host.is_running(machine), host.boots(machine)), (true, 2));
    let stopped = finished(&bench, &format!("{VPS}/web/stop")).await;
    assert_eq!(stopped["server"]["state"], "stopped");
    assert!(!host.is_running(machine));
    let again = finished(&bench, &format!("{VPS}/web/stop")).await;
    assert_eq!(again["action"]["result"], "noop");
}

#[tokio::test]
async fn an_action_that_fails_tells_its_code_and_the_next_start_works() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.vps("web").await;
    let refused = EngineError::Refused("there is no image".to_owned());
    host.fail(EngineCall::Create, refused, 1);
    let failed = finished(&bench, &format!("{VPS}/web/start")).await;
    assert_eq!(failed["action"]["status"], "error");
    assert_eq!(failed["server"]["state"], "failed");
    let code = text(&failed["action"]["error"]["code"]);
    assert!(
        innkeeper_hosting::ControlErrorCode::parse(code).is_some(),
        "{failed}"
    );
    let started = finished(&bench, &format!("{VPS}/web/start")).await;
    assert_eq!(started["server"]["state"], "running");
}

#[tokio::test]
async fn a_suspended_machine_is_off_until_the_operator_allows_it_again() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.game("mc").await;
    let start = format!("{POWER}/mc/start");
    finished(&bench, &start).await;
    let (config, clock) = (bench.site().config(), &bench.site().clock);
    let suspend = PowerTask {
        wait: std::time::Duration::from_secs(30),
        ..PowerTask::new(ActionCommand::Suspend)
    };
    let kind = MachineKind::Game;
    let done = machine::control_machine(&config, clock, kind, "mc", suspend).await;
    let server = done.unwrap().server.unwrap();
    assert_eq!(server.state.word(), "suspended");
    let shown = bench.get(&format!("{GAME}/mc")).await.json();
    assert_eq!(
        (&shown["suspended"], &shown["stopReason"]),
        (&json!(true), &json!("suspended"))
    );
    for command in ["start", "stop", "restart", "kill"] {
        let answer = bench.post(&format!("{POWER}/mc/{command}")).await;
        assert_refused(&answer, 403, "server_suspended");
    }
    let allowed = machine::unsuspend_machine(&config, clock, kind, "mc").await;
    assert_eq!(allowed.unwrap().state.word(), "stopped");
    let twice = machine::unsuspend_machine(&config, clock, kind, "mc").await;
    assert_eq!(twice.unwrap_err().to_string(), "game mc is not suspended");
    let started = finished(&bench, &start).await;
    assert_eq!(started["server"]["state"], "running");
}

#[tokio::test]
async fn a_machine_that_is_removed_is_locked_and_then_gone() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.vps("web").await;
    finished(&bench, &format!("{VPS}/web/start")).await;
    let stall = host.stall(EngineCall::Delete, Moment::Before);
    bench
        .operate(MachineKind::Vps, "web", ActionCommand::Remove)
        .await;
    stall.reached().await;
    let shown = bench.get(&format!("{VPS}/web")).await.json();
    assert_eq!(shown["state"], "deleting");
    assert_eq!(shown["lock"]["reason"], "removing");
    assert_eq!(shown["lock"]["actionId"], shown["currentAction"]["id"]);
    assert_refused(
        &bench.post(&format!("{VPS}/web/start")).await,
        409,
        "invalid_state",
    );
    stall.release();
    eventually("the machine is gone", async || {
        bench.get(&format!("{VPS}/web")).await.status == 404
    })
    .await;
    // Its ids and ports are free.
    bench.vps("web").await;
}

#[tokio::test]
async fn a_host_that_is_away_is_an_outage_and_not_a_state_of_the_machine() {
    let host = MemoryHost::default();
    let bench = Bench::on_host(&host).await;
    bench.vps("web").await;
    finished(&bench, &format!("{VPS}/web/start")).await;
    host.set_away(true);
    bench.site().hosting.tick().await;
    eventually("the outage is noticed", async || {
        bench.site().pass(5).await;
        bench.state(&format!("{VPS}/web")).await == "unknown"
    })
    .await;
    let shown = bench.get(&format!("{VPS}/web")).await.json();
    assert_eq!(shown["observedState"], "running");
    let answer = bench.post(&format!("{VPS}/web/stop")).await;
    assert_refused(&answer, 502, "host_unreachable");
    assert_eq!(answer.json()["state"], "unknown");
    host.set_away(false);
    eventually("the host is back", async || {
        bench.site().pass(5).await;
        bench.state(&format!("{VPS}/web")).await == "running"
    })
    .await;
}
