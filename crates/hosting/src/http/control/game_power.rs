//! `POST /v1/hosting/game/power/{server_id}/start`, `stop`, `restart` and `kill`: the power of a game server.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};

use super::context::Control;
use super::given_id::GivenId;
use super::power::{GameActionAnswer, NoOptions, PowerParameters, StopOptions, carry_out};
use crate::machines::key::VerifiedKey;
use crate::model::{ActionCommand, MachineKind};

pub(crate) struct GamePower {
    pub(crate) control: Arc<Control>,
}

fn call(id: &str, command: ActionCommand) -> PowerParameters<'_> {
    PowerParameters::new(MachineKind::Game, id, command)
}

#[resource("/game/power/{server_id}")]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
#[filter(self.control.limits.power.clone())]
#[filter(self.control.limits.power_key.clone())]
impl GamePower {
    /// Starts a game server. If it runs, nothing happens, and the action has the result `noop`.
    #[post("/start")]
    #[security(api_key("game:power"))]
    #[responds(200, GameActionAnswer, "the action has ended")]
    #[responds(202, GameActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn start(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] _options: Option<NoOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let call = call(server_id.0, ActionCommand::Start);
        carry_out(&self.control, &key, request, call).await
    }

    /// Stops a game server by the command or signal of its game, and kills it if it does not stop in time.
    #[post("/stop")]
    #[security(api_key("game:power"))]
    #[responds(200, GameActionAnswer, "the action has ended")]
    #[responds(202, GameActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn stop(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] options: Option<StopOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let call = call(server_id.0, ActionCommand::Stop).with_options(options);
        carry_out(&self.control, &key, request, call).await
    }

    /// Stops a game server and starts it again. A server that is off is started.
    #[post("/restart")]
    #[security(api_key("game:power"))]
    #[responds(200, GameActionAnswer, "the action has ended")]
    #[responds(202, GameActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn restart(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] options: Option<StopOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let call = call(server_id.0, ActionCommand::Restart).with_options(options);
        carry_out(&self.control, &key, request, call).await
    }

    /// Kills a game server at once. An action that has not ended is cancelled.
    #[post("/kill")]
    #[security(api_key("game:kill"))]
    #[responds(200, GameActionAnswer, "the action has ended")]
    #[responds(202, GameActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn kill(
        &self,
        /// The id of the server.
        server_id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] _options: Option<NoOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let call = call(server_id.0, ActionCommand::Kill);
        carry_out(&self.control, &key, request, call).await
    }
}
