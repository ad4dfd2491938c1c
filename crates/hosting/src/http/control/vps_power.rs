//! `POST /v1/hosting/cloud/vps-custom/{id}/start`, `stop` and `reset`: the power of a virtual private server.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};

use super::context::Control;
use super::given_id::GivenId;
use super::power::{NoOptions, PowerParameters, StopOptions, VpsActionAnswer, carry_out};
use crate::machines::key::VerifiedKey;
use crate::model::{ActionCommand, MachineKind};

pub(crate) struct VpsPower {
    pub(crate) control: Arc<Control>,
}

fn call(id: &str, command: ActionCommand) -> PowerParameters<'_> {
    PowerParameters::new(MachineKind::Vps, id, command)
}

#[resource("/cloud/vps-custom/{id}")]
#[security(api_key("vps:power"))]
#[filter(self.control.credentials.clone())]
#[filter(self.control.limits.key.clone())]
#[filter(self.control.limits.power.clone())]
#[filter(self.control.limits.power_key.clone())]
impl VpsPower {
    /// Starts a virtual private server. If it runs, nothing happens, and the action has the result `noop`.
    #[post("/start")]
    #[responds(200, VpsActionAnswer, "the action has ended")]
    #[responds(202, VpsActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn start(
        &self,
        /// The id of the server.
        id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] _options: Option<NoOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        carry_out(
            &self.control,
            &key,
            request,
            call(id.0, ActionCommand::Start),
        )
        .await
    }

    /// Stops a virtual private server: presses its power button, and turns it off if it does not power off in
    /// time.
    #[post("/stop")]
    #[responds(200, VpsActionAnswer, "the action has ended")]
    #[responds(202, VpsActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn stop(
        &self,
        /// The id of the server.
        id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] options: Option<StopOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        let call = call(id.0, ActionCommand::Stop).with_options(options);
        carry_out(&self.control, &key, request, call).await
    }

    /// Resets a virtual private server, as its reset button does.
    #[post("/reset")]
    #[responds(200, VpsActionAnswer, "the action has ended")]
    #[responds(202, VpsActionAnswer, "the action has begun")]
    #[consumes("application/json")]
    #[timeout(35)]
    async fn reset(
        &self,
        /// The id of the server.
        id: GivenId<'_>,
        #[value] key: Arc<VerifiedKey>,
        #[request] request: &Request,
        #[entity] _options: Option<NoOptions>,
    ) -> Result<Unnegotiated, Rejection> {
        carry_out(
            &self.control,
            &key,
            request,
            call(id.0, ActionCommand::Reset),
        )
        .await
    }
}
