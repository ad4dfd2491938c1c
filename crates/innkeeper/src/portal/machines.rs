//! The machines on the start page: their states, and the way to their consoles.

use innkeeper_hosting::Hosting;
use innkeeper_hosting::model::{MachineKind, PublicId};
use innkeeper_rest::{Response, resource};
use serde_json::{Value, json};
use url::Url;

/// The machines, for their part of the page.
#[derive(Debug)]
pub(crate) struct MachineAccess {
    pub(crate) hosting: Hosting,
    /// The API key of the demo, with which tickets for consoles are made.
    pub(crate) api_key: String,
    /// Why machines cannot run here, one sentence each.
    pub(crate) problems: Vec<String>,
}

pub(super) struct Machines {
    /// `None` if no machines are run.
    pub(super) access: Option<MachineAccess>,
    /// The hosting server, with `/v1`.
    pub(super) hosting_url: Url,
}

#[resource("/")]
impl Machines {
    /// Lists all machines and their states.
    #[get]
    async fn list(&self) -> Response {
        let Some(access) = &self.access else {
            return Response::ok().entity(json!({ "machines": [], "problems": [] }));
        };
        match access.hosting.machines().await {
            Ok(machines) => {
                let machines: Vec<Value> = machines
                    .iter()
                    .map(|machine| {
                        json!({
                            "type": machine.kind,
                            "id": machine.id,
                            "name": machine.name,
                            "state": machine.state,
                            "failure": machine.failure,
                        })
                    })
                    .collect();
                let list = json!({ "machines": machines, "problems": access.problems });
                Response::ok().entity(list)
            }
            Err(error) => {
                tracing::warn!(%error, "the machines cannot be listed");
                Response::error_with(503, "the machines cannot be listed")
            }
        }
    }

    /// Opens the console of a game server: makes a one-time ticket and redirects to the console page.
    #[get("/{id}/console")]
    async fn console(&self, id: &str) -> Response {
        let is_id = PublicId::parse(id).is_some();
        let (Some(access), true) = (&self.access, is_id) else {
            return Response::not_found_with("no game server has this id");
        };
        match self.ticket(access, id).await {
            Ok(ticket) => {
                let page = below(&self.hosting_url, "console");
                Response::see(format!("{page}#server={id}&ticket={ticket}"))
                    .header("cache-control", "no-store")
            }
            Err(error) => {
                tracing::warn!(id, %error, "the console cannot be opened");
                Response::error_with(502, format!("the console cannot be opened: {error:#}"))
            }
        }
    }
}

impl Machines {
    /// Asks the hosting server for a ticket, as the program of a customer does.
    async fn ticket(&self, access: &MachineAccess, id: &str) -> anyhow::Result<String> {
        let path = format!("hosting/{}/console/{id}/ticket", MachineKind::Game);
        let request = reqwest::Client::new()
            .post(below(&self.hosting_url, &path))
            .bearer_auth(&access.api_key);
        let response = request.send().await?.error_for_status()?;
        let answer: Value = response.json().await?;
        match answer.get("ticket").and_then(Value::as_str) {
            Some(ticket) => Ok(ticket.to_owned()),
            None => anyhow::bail!("the answer has no ticket"),
        }
    }
}

/// Returns the URL of a path below the API.
fn below(hosting: &Url, path: &str) -> String {
    format!("{}/{path}", hosting.as_str().trim_end_matches('/'))
}
