//! `actions`: changes of machines that take time.

use innkeeper_hosting_queries::client::Params as _;
use innkeeper_hosting_queries::queries::actions as queries;
use jiff::Timestamp;
use uuid::Uuid;

use super::{GenericClient, Result};
use crate::model::{
    Action, ActionCommand, ActionFailure, ActionResult, ActionStatus, ActionStep, MachineKind,
    StopReason,
};

/// The actions that a list has.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActionFilter {
    /// Only those of machines of these kinds.
    pub(crate) kinds: Vec<MachineKind>,
    /// Only those of these machines.
    pub(crate) machines: Option<Vec<Uuid>>,
    /// Only those of machines with this id in the API, which may be any text.
    pub(crate) server: Option<String>,
    /// Only those with this status.
    pub(crate) status: Option<ActionStatus>,
    /// Only those with this command.
    pub(crate) command: Option<ActionCommand>,
}

/// A place in a list of actions: that of an action, by its time and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActionCursor {
    pub(crate) queued_at: Timestamp,
    pub(crate) id: String,
}

/// Who works on an action, and until when nobody else may.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lease {
    pub(crate) holder: Uuid,
    pub(crate) until: Timestamp,
}

/// How an action ended.
#[derive(Debug, Clone)]
pub(crate) enum ActionEnd {
    /// It did what it was for.
    Success(ActionResult),
    /// It failed.
    Failure(ActionFailure),
}

/// Returns the action with this id.
pub(crate) async fn by_id(conn: &impl GenericClient, id: &str) -> Result<Option<Action>> {
    let found = queries::find_by_id().bind(conn, &id).opt().await?;
    Ok(found.and_then(action))
}

/// Returns the action of a machine that has not ended.
pub(crate) async fn active_of(conn: &impl GenericClient, machine: Uuid) -> Result<Option<Action>> {
    let found = queries::find_active().bind(conn, &machine).opt().await?;
    Ok(found.and_then(action))
}

/// Returns the actions of machines that have not ended.
pub(crate) async fn active_of_all(
    conn: &impl GenericClient,
    machines: &[Uuid],
) -> Result<Vec<Action>> {
    let rows = queries::list_active().bind(conn, &machines).all().await?;
    Ok(rows.into_iter().filter_map(action).collect())
}

/// Returns the actions of a customer, newest first, after a place in the list.
pub(crate) async fn list(
    conn: &impl GenericClient,
    customer_id: &str,
    filter: &ActionFilter,
    after: Option<&ActionCursor>,
    limit: i64,
) -> Result<Vec<Action>> {
    // All ids are before this one.
    let (before_at, before_id) = after.map_or((Timestamp::MAX, "~"), |cursor| {
        (cursor.queued_at, cursor.id.as_str())
    });
    let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.word()).collect();
    let machines = filter.machines.as_deref();
    let (status, command) = (
        filter.status.map(ActionStatus::word),
        filter.command.map(ActionCommand::word),
    );
    let list = queries::list_actions();
    let rows = list.bind(
        conn,
        &customer_id,
        &kinds,
        &machines,
        &filter.server,
        &status,
        &command,
        &before_at,
        &before_id,
        &limit,
    );
    Ok(rows.all().await?.into_iter().filter_map(action).collect())
}

/// Adds an action. Fails if the machine has another one that has not ended, unless this one has ended.
pub(crate) async fn insert(conn: &impl GenericClient, action: &Action) -> Result<()> {
    let insert = queries::insert_action();
    insert
        .params(
            conn,
            &queries::InsertActionParams {
                id: &*action.id,
                machine_id: action.machine_id,
                customer_id: &*action.customer_id,
                command: action.command.word(),
                status: action.status.word(),
                step: action.step.word(),
                step_at: action.step_at,
                stop_seconds: i32::try_from(action.stop_seconds).unwrap_or(i32::MAX),
                actor: &*action.actor,
                address: action.address.as_deref(),
                reason: action.reason.map(StopReason::word),
                result: action.result.map(ActionResult::word),
                queued_at: action.queued_at,
                finished_at: action.finished_at,
            },
        )
        .await?;
    Ok(())
}

/// Ends an action because another one replaces it.
pub(crate) async fn cancel(
    conn: &impl GenericClient,
    id: &str,
    superseded_by: &str,
    now: Timestamp,
) -> Result<()> {
    let cancel = queries::cancel_action();
    cancel.bind(conn, &superseded_by, &now, &id).await?;
    Ok(())
}

/// Takes actions to work on: those that nobody works on, whose lease has ended, or that belong to this
/// holder and are not in `known`. Returns them oldest first.
pub(crate) async fn claim(
    conn: &impl GenericClient,
    lease: Lease,
    known: &[String],
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Action>> {
    let claim = queries::claim();
    let rows = claim.bind(conn, &lease.holder, &lease.until, &now, &known, &limit);
    let mut claimed: Vec<Action> = rows.all().await?.into_iter().filter_map(action).collect();
    claimed.sort_by(|one, other| (one.queued_at, &one.id).cmp(&(other.queued_at, &other.id)));
    Ok(claimed)
}

/// Renews the leases of actions. Returns the ids of those that still belong to the holder.
pub(crate) async fn renew(
    conn: &impl GenericClient,
    lease: Lease,
    ids: &[String],
) -> Result<Vec<String>> {
    let renew = queries::renew();
    Ok(renew
        .bind(conn, &lease.until, &ids, &lease.holder)
        .all()
        .await?)
}

/// Stores the step that an action does next, and renews its lease. Returns false if the action has ended
/// or does not belong to the holder any more.
pub(crate) async fn set_step(
    conn: &impl GenericClient,
    id: &str,
    lease: Lease,
    step: ActionStep,
    step_at: Timestamp,
) -> Result<bool> {
    let (step, Lease { holder, until }) = (step.word(), lease);
    let set = queries::set_step();
    let held = set.bind(conn, &step, &step_at, &until, &id, &holder);
    Ok(held.opt().await?.is_some())
}

/// Ends an action. Returns false if it has ended or does not belong to the holder any more.
pub(crate) async fn finish(
    conn: &impl GenericClient,
    id: &str,
    holder: Uuid,
    end: &ActionEnd,
    now: Timestamp,
) -> Result<bool> {
    let (status, result, failure) = match end {
        ActionEnd::Success(result) => (ActionStatus::Success, Some(result.word()), None),
        ActionEnd::Failure(failure) => (ActionStatus::Error, None, Some(failure)),
    };
    let code = failure.map(|failure| &*failure.code);
    let message = failure.map(|failure| &*failure.message);
    let status = status.word();
    let finish = queries::finish();
    let held = finish.bind(conn, &status, &result, &code, &message, &now, &id, &holder);
    Ok(held.opt().await?.is_some())
}

/// Lets others continue with all actions of a holder.
pub(crate) async fn release(conn: &impl GenericClient, holder: Uuid) -> Result<u64> {
    Ok(queries::release().bind(conn, &holder).await?)
}

/// Returns how many machines this actor is starting.
pub(crate) async fn count_starts(conn: &impl GenericClient, actor: &str) -> Result<i64> {
    Ok(queries::count_starts().bind(conn, &actor).one().await?)
}

/// Deletes actions that ended before a time.
pub(crate) async fn delete_finished(conn: &impl GenericClient, before: Timestamp) -> Result<u64> {
    Ok(queries::delete_finished().bind(conn, &before).await?)
}

/// Returns the action of a row; `None` if another version has written it and it cannot be read.
fn action(row: queries::ActionRow) -> Option<Action> {
    let failure = row.error_code.map(|code| ActionFailure {
        code,
        message: row.error_message.unwrap_or_default(),
    });
    Some(Action {
        id: row.id,
        machine_id: row.machine_id,
        customer_id: row.customer_id,
        command: ActionCommand::parse(&row.command)?,
        status: ActionStatus::parse(&row.status)?,
        step: ActionStep::parse(&row.step)?,
        step_at: row.step_at,
        stop_seconds: u32::try_from(row.stop_seconds).unwrap_or_default(),
        actor: row.actor,
        address: row.address,
        reason: row.reason.as_deref().and_then(StopReason::parse),
        result: row.result.as_deref().and_then(ActionResult::parse),
        failure,
        superseded_by: row.superseded_by,
        queued_at: row.queued_at,
        started_at: row.started_at,
        finished_at: row.finished_at,
    })
}
