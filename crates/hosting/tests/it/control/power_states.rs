//! Power requests in every state of a machine.

use innkeeper_hosting::model::{MachineKind, PublicState};
use serde_json::{Value, json};

use super::bench::{Bench, GAME, VPS, power_path, text};
use crate::support::Answer;

/// The id of the machine.
const ID: &str = "one";

/// What a request is answered with in each state: a status and the state of the machine after it, a status and
/// the code of the error, or `join` for the action that has not ended.
const VPS_TABLE: &str = "
              start                  stop                 reset                  stop!
    stopped   202:starting           200:noop             409:invalid_state      200:noop
    crashed   202:starting           200:noop             409:invalid_state      200:noop
    failed    202:starting           200:noop             409:invalid_state      200:noop
    starting  join                   202:stopping         409:action_in_progress 202:stopping
    running   200:noop               202:stopping         202:resetting          202:stopping
    stopping  409:action_in_progress join                 409:action_in_progress 202:stopping
    resetting 409:action_in_progress 202:stopping         join                   202:stopping
    suspended 403:server_suspended   403:server_suspended 403:server_suspended   403:server_suspended
    unknown   502:host_unreachable   502:host_unreachable 502:host_unreachable   502:host_unreachable
    deleting  409:invalid_state      409:invalid_state    409:invalid_state      409:invalid_state
";
const GAME_TABLE: &str = "
               start                  stop                 restart                kill                 stop!
    stopped    202:starting           200:noop             202:restarting         200:noop             200:noop
    crashed    202:starting           200:noop             202:restarting         200:noop             200:noop
    failed     202:starting           200:noop             202:restarting         200:noop             200:noop
    starting   join                   202:stopping         409:action_in_progress 202:stopping         202:stopping
    running    200:noop               202:stopping         202:restarting         202:stopping         202:stopping
    stopping   409:action_in_progress join                 409:action_in_progress 202:stopping         202:stopping
    restarting 409:action_in_progress 202:stopping         join                   202:stopping         202:stopping
    suspended  403:server_suspended   403:server_suspended 403:server_suspended   403:server_suspended 403:server_suspended
    unknown    502:host_unreachable   502:host_unreachable 502:host_unreachable   502:host_unreachable 502:host_unreachable
    deleting   409:invalid_state      409:invalid_state    409:invalid_state      409:invalid_state    409:invalid_state
";

#[tokio::test]
async fn a_vps_answers_every_request_in_every_state() {
    let bench = Bench::start().await;
    check(&bench, MachineKind::Vps, VPS_TABLE).await;
}

#[tokio::test]
async fn a_game_server_answers_every_request_in_every_state() {
    let bench = Bench::start().await;
    check(&bench, MachineKind::Game, GAME_TABLE).await;
}

async fn check(bench: &Bench, kind: MachineKind, table: &str) {
    match kind {
        MachineKind::Vps => bench.vps(ID).await,
        MachineKind::Game => bench.game(ID).await,
    }
    let mut rows = table.lines().filter(|row| !row.trim().is_empty());
    let commands: Vec<&str> = rows.next().unwrap().split_whitespace().collect();
    for row in rows {
        let cells: Vec<&str> = row.split_whitespace().collect();
        let (state, cells) = cells.split_first().unwrap();
        assert_eq!(cells.len(), commands.len(), "{row}");
        for (command, expected) in commands.iter().zip(cells) {
            let active = arrange(bench, kind, state).await;
            let case = format!("{kind} {state} {command}");
            let answer = send(bench, kind, command).await;
            assert_answer(&answer, expected, state, active.as_deref(), &case);
        }
    }
}

/// Sends a command; `stop!` is a stop by force.
async fn send(bench: &Bench, kind: MachineKind, command: &str) -> Answer {
    match command.strip_suffix('!') {
        Some(command) => {
            let path = power_path(kind, ID, command);
            bench.post_json(&path, r#"{"force":true}"#).await
        }
        None => bench.post(&power_path(kind, ID, command)).await,
    }
}

/// Brings the machine into a state, and returns the id of its action that has not ended.
async fn arrange(bench: &Bench, kind: MachineKind, state: &str) -> Option<String> {
    bench.sql.execute("delete from actions", &[]).await.unwrap();
    let off = "administrative = 'active', desired = 'stopped', observed = 'stopped', ready = false, \
               stop_reason = null, failure = null, unreachable_since = null";
    bench.set(ID, off).await;
    let columns = match state {
        "crashed" => Some("desired = 'running', stop_reason = 'crashed'"),
        "failed" => Some("failure = 'there is no image'"),
        "unknown" => Some("unreachable_since = observed_at"),
        "suspended" => Some("administrative = 'suspended'"),
        "deleting" => Some("administrative = 'removing'"),
        _ => None,
    };
    if let Some(columns) = columns {
        bench.set(ID, columns).await;
    }
    if matches!(state, "running" | "stopping" | "resetting" | "restarting") {
        bench.set_running(ID).await;
    }
    let begun = match state {
        "starting" => Some("start"),
        "stopping" => Some("stop"),
        "resetting" => Some("reset"),
        "restarting" => Some("restart"),
        _ => None,
    };
    let mut action = None;
    if let Some(command) = begun {
        let begun = send(bench, kind, command).await.json();
        action = Some(text(&begun["action"]["id"]).to_owned());
    }
    let list = if kind == MachineKind::Vps { VPS } else { GAME };
    assert_eq!(bench.state(&format!("{list}/{ID}")).await, state);
    action
}

fn assert_answer(answer: &Answer, expected: &str, before: &str, active: Option<&str>, case: &str) {
    let body = answer.json();
    let (status, word) = expected.split_once(':').unwrap_or(("202", expected));
    assert_eq!(answer.status.to_string(), status, "{case}: {body}");
    if status.starts_with(['4', '5']) {
        assert_eq!(body["code"], word, "{case}");
        assert_eq!(body["state"], before, "{case}");
        let other = (word == "action_in_progress").then_some(active).flatten();
        assert_eq!(body["action"]["id"], json!(other), "{case}");
        return;
    }
    let location = format!("/v1/hosting/actions/{}", text(&body["action"]["id"]));
    assert_eq!(answer.header("location"), Some(&*location), "{case}");
    let state = text(&body["server"]["state"]);
    assert!(PublicState::parse(state).is_some(), "{case}");
    match word {
        "noop" => {
            assert_eq!(body["action"]["status"], "success", "{case}");
            assert_eq!(body["action"]["result"], "noop", "{case}");
            assert_eq!(body["server"]["currentAction"], Value::Null, "{case}");
            // Who stops a machine that crashed does not want it to run any more.
            let expected = if before == "crashed" {
                "stopped"
            } else {
                before
            };
            assert_eq!(state, expected, "{case}");
        }
        "join" => {
            assert_eq!(body["action"]["id"], json!(active), "{case}");
            assert_eq!(state, before, "{case}");
        }
        word => {
            assert_eq!(state, word, "{case}");
            assert_eq!(body["action"]["status"], "queued", "{case}");
            assert_ne!(body["action"]["id"], json!(active), "{case}");
            assert_eq!(body["server"]["currentAction"], body["action"], "{case}");
        }
    }
}

#[tokio::test]
async fn a_replaced_action_says_which_one_replaced_it() {
    let bench = Bench::start().await;
    bench.game(ID).await;
    let begun = send(&bench, MachineKind::Game, "start").await.json();
    let killed = send(&bench, MachineKind::Game, "kill").await.json();
    let first = bench
        .get(&format!(
            "/v1/hosting/actions/{}",
            text(&begun["action"]["id"])
        ))
        .await
        .json();
    assert_eq!(first["status"], "cancelled");
    assert_eq!(first["supersededBy"], killed["action"]["id"]);
    assert_eq!(
        (&first["progress"], &first["server"]["state"]),
        (&json!(100), &json!("stopping"))
    );
}
