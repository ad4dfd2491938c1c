//! What the forms of the console page do, for browsers without scripts: show the log, type a command, change the
//! power.
//!
//! A form has its credential in a field and needs no cookie, so a page of another site cannot send one in the name
//! of a customer: it would have to know a ticket, which is 256 random bits, works once, and is in the page only. A
//! ticket is checked with the key that it was made with at every use, so it ends with the key.

use std::sync::Arc;

use http::header::ORIGIN;
use innkeeper_rest::{Rejection, Request};
use innkeeper_service::secret::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{CommandInput, count_commands, type_commands};
use super::console_access::{ConsoleServer, find_console};
use super::context::{Control, count};
use super::errors::not_found;
use super::power::{PowerParameters, change_power};
use super::refusal::{refusal, unavailable};
use crate::base::error_code::ControlErrorCode;
use crate::machines::console::{ConsoleLine, LogQuery, LogStart, machine_key};
use crate::machines::key::{VerifiedKey, ticket};
use crate::machines::power::PowerAnswer;
use crate::model::{ActionCommand, MachineKind, PublicState, Scope};

/// How many lines of the log are shown.
const LINES: usize = 200;
/// How long the output of a command is waited for, in milliseconds.
const CAPTURE: u32 = 500;

/// A form of the page. It has no `Debug`, because of the credential.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct ConsoleForm {
    /// The id of the game server.
    server: String,
    /// A one-time ticket, or an API key.
    credential: String,
    /// What to do before the log is shown; nothing by default.
    #[serde(default)]
    action: FormAction,
    /// The command to type.
    #[serde(default)]
    line: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormAction {
    #[default]
    Show,
    Command,
    Start,
    Stop,
    Restart,
    Kill,
}

/// What the page shows about a game server.
#[derive(Debug)]
pub(in crate::http) struct ConsoleView {
    pub(in crate::http) server_id: String,
    pub(in crate::http) state: PublicState,
    /// What was done.
    pub(in crate::http) notice: Option<String>,
    /// The latest lines, without escape sequences.
    pub(in crate::http) lines: Vec<ConsoleLine>,
    /// The credential of the next form.
    pub(in crate::http) ticket: Secret<String>,
    pub(in crate::http) can_type: bool,
    pub(in crate::http) can_change_power: bool,
    pub(in crate::http) can_kill: bool,
}

/// Does what a form asks for, and returns what to show then. The refusal of a form with a valid credential has a
/// [`ConsoleView`] as its details.
pub(in crate::http) async fn submit(
    control: &Control,
    form: ConsoleForm,
    request: &Request,
) -> Result<ConsoleView, Rejection> {
    if !control.console_origins.admit(request.head()) {
        let message = "pages of this origin may not use the console";
        return Err(refusal(ControlErrorCode::OriginNotAllowed, message));
    }
    let credential = form.credential.trim();
    let (key, grant) = control.credentials.of_form(credential, request).await?;
    count(&control.limits.key, &key.key.id).await?;
    let credentials = &control.credentials;
    credentials
        .require(&key, Scope::GameConsoleRead, request)
        .await?;
    let server_id = form.server.trim().to_owned();
    let server = find_console(control, &key, &server_id).await?;
    if grant.is_some_and(|grant| grant.machine_id != server.machine.id) {
        return Err(not_found());
    }
    server.check_active()?;
    let done = carry_out(control, &key, &server, form, request).await;
    // What was done may have changed the state.
    let server = find_console(control, &key, &server_id).await?;
    let view = view(control, &key, &server, request).await?;
    match done {
        Ok(notice) => Ok(ConsoleView { notice, ..view }),
        Err(refused) => Err(refused.with_details(view)),
    }
}

/// Does what a form asks for, and returns what to say about it.
async fn carry_out(
    control: &Control,
    key: &Arc<VerifiedKey>,
    server: &ConsoleServer,
    form: ConsoleForm,
    request: &Request,
) -> Result<Option<String>, Rejection> {
    let (scope, command) = match form.action {
        FormAction::Show => return Ok(None),
        FormAction::Command => {
            let typed = type_line(control, key, server, form.line, request).await;
            return typed.map(Some);
        }
        FormAction::Start => (Scope::GamePower, ActionCommand::Start),
        FormAction::Stop => (Scope::GamePower, ActionCommand::Stop),
        FormAction::Restart => (Scope::GamePower, ActionCommand::Restart),
        FormAction::Kill => (Scope::GameKill, ActionCommand::Kill),
    };
    control.credentials.require(key, scope, request).await?;
    let id = server.machine.public_id.as_str();
    let counted = machine_key(&key.key.customer_id, id);
    count(&control.limits.power, &counted).await?;
    count(&control.limits.power_key, &key.key.id).await?;
    let call = PowerParameters::new(MachineKind::Game, id, command);
    call.check(key)?;
    let answer = change_power(control, key, request, &server.machine, &call, None).await?;
    Ok(Some(power_notice(command, &answer)))
}

async fn type_line(
    control: &Control,
    key: &Arc<VerifiedKey>,
    server: &ConsoleServer,
    line: String,
    request: &Request,
) -> Result<String, Rejection> {
    let scope = Scope::GameConsoleWrite;
    control.credentials.require(key, scope, request).await?;
    let checked = CommandInput::one(line, CAPTURE).check()?;
    count_commands(control, key, server, 1).await?;
    let answer = type_commands(control, key, server, &checked, request).await?;
    Ok(format!(
        "The command is line {} of the log.",
        answer.sequence
    ))
}

fn power_notice(command: ActionCommand, answer: &PowerAnswer) -> String {
    let state = answer.state;
    if answer.was_noop {
        return format!("Nothing had to be done: the server is {state}.");
    }
    format!("The request to {command} the server was accepted. The server is {state}.")
}

async fn view(
    control: &Control,
    key: &Arc<VerifiedKey>,
    server: &ConsoleServer,
    request: &Request,
) -> Result<ConsoleView, Rejection> {
    count(&control.limits.log, &key.key.id).await?;
    let query = LogQuery {
        lines: LINES,
        start: LogStart::End,
        stream: None,
        is_stripped: true,
    };
    let found = server.hub.log_lines(server.machine.id, query).await;
    let found = found.map_err(|error| unavailable(error.to_string()))?;
    let connection = control.connection().await?;
    // Browsers tell the origin of a page with every form, so the next form comes from the same one.
    let origin = request.head().header_text(ORIGIN);
    let end = control.app.clock.now() + ticket::FORM_LIFETIME;
    let issued = ticket::create(&connection, key, server.machine.id, origin, end).await;
    let issued = issued.map_err(|error| unavailable(error.to_string()))?;
    Ok(ConsoleView {
        server_id: server.machine.public_id.to_string(),
        state: server.state,
        notice: None,
        lines: found.lines,
        ticket: issued.text,
        can_type: key.allows(Scope::GameConsoleWrite),
        can_change_power: key.allows(Scope::GamePower),
        can_kill: key.allows(Scope::GameKill),
    })
}
