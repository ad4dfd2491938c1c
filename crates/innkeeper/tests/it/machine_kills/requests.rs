//! Requests of a customer.

use innkeeper_hosting::model::MachineKind;
use innkeeper_service::testing::eventually;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::host::{Host, TestMachine};

/// The answer to a request.
#[derive(Debug)]
pub(super) struct ApiAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Host {
    /// Sends a request; `None` if the server is gone.
    pub(super) async fn request(
        &self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Option<ApiAnswer> {
        let request = self.http.request(method, format!("{}{path}", self.url));
        let request = request.header("x-api-key", &self.key).json(body);
        let answer = request.send().await.ok()?;
        Some(ApiAnswer {
            status: answer.status(),
            body: answer.json().await.ok()?,
        })
    }

    /// Asks for an action; `None` if the server is gone.
    pub(super) async fn try_power(
        &self,
        machine: &TestMachine,
        command: &str,
        body: &Value,
    ) -> Option<ApiAnswer> {
        let path = match machine.kind {
            MachineKind::Game => format!("/game/power/{}/{command}", machine.name),
            MachineKind::Vps => format!("/cloud/vps-custom/{}/{command}", machine.name),
        };
        self.request(Method::POST, &path, body).await
    }

    /// Asks for an action, which must be accepted, and returns its id.
    pub(super) async fn power(&self, machine: &TestMachine, command: &str, body: &Value) -> String {
        let what = format!("{} {command} is accepted", machine.name);
        eventually(&what, async || {
            let answer = self.try_power(machine, command, body).await.unwrap();
            if answer.status == 202 {
                return Ok(answer.body["action"]["id"].as_str().unwrap().to_owned());
            }
            // The database is connected in the first moments.
            assert_eq!(answer.status, 503, "{what}: {answer:?}");
            Err(answer)
        })
        .await
    }

    /// Types a command on the console of a game server.
    pub(super) async fn type_line(&self, machine: &TestMachine, line: &str) -> Option<StatusCode> {
        let path = format!("/game/console/{}/command", machine.name);
        let body = json!({ "command": line });
        let answer = self.request(Method::POST, &path, &body).await?;
        Some(answer.status)
    }

    /// Returns what a game server has written, in all its runs.
    pub(super) async fn output(&self, machine: &TestMachine) -> Vec<String> {
        let path = format!(
            "/game/logs/{}/latest?lines=5000&stream=console",
            machine.name
        );
        let answer = eventually("the log is available", async || {
            let answer = self.request(Method::GET, &path, &json!({})).await.unwrap();
            if answer.status == 503 {
                Err(answer)
            } else {
                Ok(answer)
            }
        })
        .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let lines = answer.body["lines"].as_array().unwrap().iter();
        lines
            .map(|line| line["text"].as_str().unwrap().to_owned())
            .collect()
    }
}
