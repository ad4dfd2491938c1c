//! `actions`: changes of machines that take time.

use innkeeper_service::database::{Executor, rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

use super::Result;
use crate::model::{
    Action, ActionCommand, ActionFailure, ActionResult, ActionStatus, ActionStep, MachineKind,
    StopReason,
};

/// The columns of [`ActionRow`], of the table `actions a`.
const COLUMNS: &str = "
       a.id, a.machine_id, a.customer_id, a.command, a.status, a.step, a.step_at, a.stop_seconds, a.actor,
       a.address, a.reason, a.result, a.error_code, a.error_message, a.superseded_by, a.queued_at,
       a.started_at, a.finished_at";

/// Actions that have not ended. A machine has at most one: that is its lock.
const ACTIVE: &str = "status in ('queued', 'running')";

/// Actions that a holder works on.
const HELD: &str = "holder = :holder and status = 'running'";

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

rows! {
    struct ActionRow {
        id: String,
        machine_id: Uuid,
        customer_id: String,
        command: String,
        status: String,
        step: String,
        step_at: Timestamp,
        stop_seconds: i32,
        actor: String,
        address: Option<String>,
        reason: Option<String>,
        result: Option<String>,
        error_code: Option<String>,
        error_message: Option<String>,
        superseded_by: Option<String>,
        queued_at: Timestamp,
        started_at: Option<Timestamp>,
        finished_at: Option<Timestamp>,
    }
}

statements! {
    async fn row_by_id(id: &str) -> Option<ActionRow> {
        "select", COLUMNS, "from actions a where a.id = :id"
    }

    async fn active_row(machine_id: Uuid) -> Option<ActionRow> {
        "select", COLUMNS, "from actions a where a.machine_id = :machine_id and", ACTIVE
    }

    async fn active_rows(machine_ids: &[Uuid]) -> Vec<ActionRow> {
        "select", COLUMNS, "from actions a where a.machine_id = any(:machine_ids::uuid[]) and", ACTIVE
    }

    async fn list_rows(
        customer_id: &str, filter: &ActionFilter, after: Option<&ActionCursor>, limit: i64,
    ) -> Vec<ActionRow>
    where {
        customer_id: &str,
        kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.word()).collect(),
        machines: Option<&[Uuid]> = filter.machines.as_deref(),
        server: Option<&str> = filter.server.as_deref(),
        status: Option<&str> = filter.status.map(ActionStatus::word),
        command: Option<&str> = filter.command.map(ActionCommand::word),
        before_at: Timestamp = after.map_or(Timestamp::MAX, |cursor| cursor.queued_at),
        // All ids are before this one.
        before_id: &str = after.map_or("~", |cursor| &*cursor.id),
        limit: i64,
    }
    { "select", COLUMNS, "from actions a", include_str!("actions/list.sql") }

    /// Adds an action. Fails if the machine has another one that has not ended, unless this one has ended.
    pub(crate) async fn insert(action: &Action)
    where {
        id: &str = &action.id,
        machine_id: Uuid = action.machine_id,
        customer_id: &str = &action.customer_id,
        command: &str = action.command.word(),
        status: &str = action.status.word(),
        step: &str = action.step.word(),
        step_at: Timestamp = action.step_at,
        stop_seconds: i32 = i32::try_from(action.stop_seconds).unwrap_or(i32::MAX),
        actor: &str = &action.actor,
        address: Option<&str> = action.address.as_deref(),
        reason: Option<&str> = action.reason.map(StopReason::word),
        result: Option<&str> = action.result.map(ActionResult::word),
        queued_at: Timestamp = action.queued_at,
        finished_at: Option<Timestamp> = action.finished_at,
    }
    {
        "insert into actions
                (id, machine_id, customer_id, command, status, step, step_at, stop_seconds, actor, address, reason,
                 result, queued_at, finished_at)
         values (:id, :machine_id, :customer_id, :command, :status, :step, :step_at, :stop_seconds, :actor,
                 :address, :reason, :result, :queued_at, :finished_at)"
    }

    /// Ends an action because another one replaces it.
    pub(crate) async fn cancel(id: &str, superseded_by: &str, now: Timestamp) {
        "update actions
            set status = 'cancelled',
                superseded_by = :superseded_by,
                finished_at = :now,
                lease_until = null
          where id = :id and",
        ACTIVE
    }

    async fn claim_rows(lease: Lease, known: &[String], now: Timestamp, limit: i64) -> Vec<ActionRow>
    where {
        holder: Uuid = lease.holder, until: Timestamp = lease.until, known: &[String], now: Timestamp, limit: i64,
    }
    { include_str!("actions/claim.sql"), "returning", COLUMNS }

    /// Renews the leases of actions. Returns the ids of those that still belong to the holder; those that were
    /// lost do not come back.
    pub(crate) async fn renew(lease: Lease, ids: &[String]) -> Vec<String>
    where { until: Timestamp = lease.until, ids: &[String], holder: Uuid = lease.holder }
    { "update actions set lease_until = :until where id = any(:ids::text[]) and", HELD, "returning id" }

    async fn count_set(id: &str, lease: Lease, step: ActionStep, step_at: Timestamp) -> u64
    where {
        id: &str, holder: Uuid = lease.holder, until: Timestamp = lease.until, step: &str = step.word(),
        step_at: Timestamp,
    }
    { "update actions set step = :step, step_at = :step_at, lease_until = :until where id = :id and", HELD }

    async fn count_finished(
        id: &str, holder: Uuid, status: ActionStatus, result: Option<ActionResult>,
        failure: Option<&ActionFailure>, now: Timestamp,
    ) -> u64
    where {
        id: &str,
        holder: Uuid,
        status: &str = status.word(),
        result: Option<&str> = result.map(ActionResult::word),
        error_code: Option<&str> = failure.map(|failure| &*failure.code),
        error_message: Option<&str> = failure.map(|failure| &*failure.message),
        now: Timestamp,
    }
    {
        "update actions
            set status = :status,
                result = :result,
                error_code = :error_code,
                error_message = :error_message,
                finished_at = :now,
                lease_until = null
          where id = :id and",
        HELD
    }

    /// Lets others continue with all actions of a holder.
    pub(crate) async fn release(holder: Uuid) -> u64 {
        "update actions set holder = null, lease_until = null where", HELD
    }

    /// Returns how many machines this actor is starting.
    pub(crate) async fn count_starts(actor: &str) -> i64 {
        "select count(*) as starts from actions a where a.command = 'start' and a.actor = :actor and", ACTIVE
    }

    /// Deletes actions that ended before a time.
    pub(crate) async fn delete_finished(before: Timestamp) -> u64 {
        "delete from actions where finished_at < :before"
    }
}

/// Returns the action with this id.
pub(crate) async fn by_id(conn: &dyn Executor, id: &str) -> Result<Option<Action>> {
    Ok(row_by_id(conn, id).await?.and_then(action))
}

/// Returns the action of a machine that has not ended.
pub(crate) async fn active_of(conn: &dyn Executor, machine: Uuid) -> Result<Option<Action>> {
    Ok(active_row(conn, machine).await?.and_then(action))
}

/// Returns the actions of machines that have not ended.
pub(crate) async fn active_of_all(conn: &dyn Executor, machines: &[Uuid]) -> Result<Vec<Action>> {
    let rows = active_rows(conn, machines).await?;
    Ok(rows.into_iter().filter_map(action).collect())
}

/// Returns the actions of a customer, newest first, after a place in the list.
pub(crate) async fn list(
    conn: &dyn Executor,
    customer_id: &str,
    filter: &ActionFilter,
    after: Option<&ActionCursor>,
    limit: i64,
) -> Result<Vec<Action>> {
    let rows = list_rows(conn, customer_id, filter, after, limit).await?;
    Ok(rows.into_iter().filter_map(action).collect())
}

/// Takes actions to work on: those that nobody works on, whose lease has ended, or that belong to this
/// holder and are not in `known`. Returns them oldest first.
pub(crate) async fn claim(
    conn: &dyn Executor,
    lease: Lease,
    known: &[String],
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Action>> {
    let rows = claim_rows(conn, lease, known, now, limit).await?;
    let mut claimed: Vec<Action> = rows.into_iter().filter_map(action).collect();
    claimed.sort_by(|one, other| (one.queued_at, &one.id).cmp(&(other.queued_at, &other.id)));
    Ok(claimed)
}

/// Stores the step that an action does next, and renews its lease. Returns false if the action has ended
/// or does not belong to the holder any more.
pub(crate) async fn set_step(
    conn: &dyn Executor,
    id: &str,
    lease: Lease,
    step: ActionStep,
    step_at: Timestamp,
) -> Result<bool> {
    Ok(count_set(conn, id, lease, step, step_at).await? > 0)
}

/// Ends an action. Returns false if it has ended or does not belong to the holder any more.
pub(crate) async fn finish(
    conn: &dyn Executor,
    id: &str,
    holder: Uuid,
    end: &ActionEnd,
    now: Timestamp,
) -> Result<bool> {
    let (status, result, failure) = match end {
        ActionEnd::Success(result) => (ActionStatus::Success, Some(*result), None),
        ActionEnd::Failure(failure) => (ActionStatus::Error, None, Some(failure)),
    };
    Ok(count_finished(conn, id, holder, status, result, failure, now).await? > 0)
}

/// Returns the action of a row; `None` if another version has written it and it cannot be read.
fn action(row: ActionRow) -> Option<Action> {
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
