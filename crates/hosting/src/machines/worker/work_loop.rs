//! Claims actions and carries them out.

use std::collections::HashMap;
use std::future::pending;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use super::context::WorkerContext;
use super::steps::advance;
use super::work::{Next, Work, WorkError};
use crate::base::error_code::ControlErrorCode;
use crate::machines::console::close::CloseReason;
use crate::model::{Action, ActionCommand, ActionFailure, ActionStep};
use crate::store;
use crate::store::actions::ActionEnd;

/// How often actions of other processes are looked for.
const CLAIM_INTERVAL: Duration = Duration::from_secs(1);
/// The first and the longest pause between two looks at a machine that is waited for.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How many actions are claimed at once.
const CLAIM_LIMIT: i64 = 64;

/// Carries out the actions of the machines of this host.
#[derive(Debug)]
pub(crate) struct Worker {
    context: Arc<WorkerContext>,
    /// What is being carried out, by the id of the action.
    works: Mutex<HashMap<String, Arc<Work>>>,
    /// Held while actions are claimed, so that none is claimed twice.
    claiming: tokio::sync::Mutex<()>,
    /// When leases were last renewed.
    renewed_at: Mutex<Option<Instant>>,
}

impl Worker {
    pub(crate) fn new(context: Arc<WorkerContext>) -> Self {
        Self {
            context,
            works: Mutex::default(),
            claiming: tokio::sync::Mutex::default(),
            renewed_at: Mutex::default(),
        }
    }

    /// Carries out actions until it is aborted.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut changes = self.context.power.signals().changes();
        let mut runs = self.context.hub.ended_runs();
        // The tasks are aborted with this one.
        let mut tasks = JoinSet::new();
        loop {
            self.claim_and_renew().await;
            for work in self.all_works() {
                if !work.has_task.swap(true, Ordering::AcqRel) {
                    tasks.spawn(Arc::clone(&self).carry_out(work));
                }
            }
            tokio::select! {
                // The senders live as long as this does.
                _ = changes.recv() => {}
                machine = runs.recv() => self.wake(machine.ok()),
                () = sleep(CLAIM_INTERVAL) => {}
            }
            while tasks.try_join_next().is_some() {}
        }
    }

    /// Claims actions, and does the steps of all actions that can be done now.
    pub(crate) async fn tick(&self) {
        self.claim_and_renew().await;
        let works = self.all_works();
        join_all(works.iter().map(|work| self.advance(work))).await;
    }

    /// Lets others continue with the actions of this worker.
    pub(crate) async fn release(&self) {
        let release = async {
            let connection = self.context.connection().await?;
            store::actions::release(&connection, self.context.settings.holder).await?;
            Ok::<_, WorkError>(())
        };
        if let Err(error) = release.await {
            tracing::warn!(%error, "the leases of actions could not be released");
        }
    }

    async fn carry_out(self: Arc<Self>, work: Arc<Work>) {
        while self.advance(&work).await == Next::Wait {
            let (polls, is_starting) = {
                let mut state = work.state.lock().await;
                state.polls = state.polls.saturating_add(1);
                (state.polls, state.action.step == ActionStep::AwaitReady)
            };
            let pause = FIRST_PAUSE
                .saturating_mul(1 << polls.min(8))
                .min(LONGEST_PAUSE);
            let mut ready = self.context.hub.ready(work.machine_id);
            let is_ready = async {
                // Without a console there is nothing to wait for.
                let is_ready = ready.wait_for(|is_ready| *is_ready).await.is_ok();
                if !is_ready || !is_starting {
                    pending::<()>().await;
                }
            };
            tokio::select! {
                () = work.wake.notified() => {}
                () = is_ready => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// Does what can be done of an action, and forgets it once it has ended.
    async fn advance(&self, work: &Work) -> Next {
        let next = advance(&self.context, work).await;
        if next == Next::Ended {
            self.works().remove(&work.action_id);
        }
        next
    }

    async fn claim_and_renew(&self) {
        let _claiming = self.claiming.lock().await;
        if let Err(error) = self.renew_if_due().await {
            tracing::warn!(%error, "the leases of actions could not be renewed");
        }
        if let Err(error) = self.claim().await {
            tracing::warn!(%error, "actions could not be claimed");
        }
    }

    async fn claim(&self) -> Result<(), WorkError> {
        let context = &self.context;
        let connection = context.connection().await?;
        loop {
            let known: Vec<String> = self.works().keys().cloned().collect();
            let (lease, now) = (context.lease(), context.clock.now());
            let limit = CLAIM_LIMIT;
            let actions = store::actions::claim(&connection, lease, &known, now, limit).await?;
            let is_last = i64::try_from(actions.len()).is_ok_and(|count| count < limit);
            for action in actions {
                self.take_on(action).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Begins with an action that was claimed.
    async fn take_on(&self, action: Action) -> Result<(), WorkError> {
        let context = &self.context;
        let connection = context.connection().await?;
        let Some(machine) = store::machines::by_id(&connection, action.machine_id).await? else {
            let failure = ActionFailure {
                code: ControlErrorCode::Internal.as_str().to_owned(),
                message: "the machine cannot be read".to_owned(),
            };
            let (holder, now) = (context.settings.holder, context.clock.now());
            let end = ActionEnd::Failure(failure);
            store::actions::finish(&connection, &action.id, holder, &end, now).await?;
            return Ok(());
        };
        let profile = match &machine.profile {
            Some(name) => store::game_profiles::by_name(&connection, name).await?,
            None => None,
        };
        tracing::info!(
            action = action.id, machine = %machine.id, command = %action.command, step = %action.step,
            "an action is carried out"
        );
        if action.command == ActionCommand::Suspend {
            context.hub.close_all(machine.id, CloseReason::Suspended);
        }
        context.states.publish(&machine, Some(&action)).await;
        context.hub.publish_action(&action).await;
        let work = Arc::new(Work::new(action, machine, profile));
        self.cancel_others(&work);
        self.works()
            .insert(work.action_id.clone(), Arc::clone(&work));
        Ok(())
    }

    /// Wakes the work on a machine, or all work.
    fn wake(&self, machine: Option<Uuid>) {
        for work in self.works().values() {
            if machine.is_none_or(|machine| machine == work.machine_id) {
                work.wake.notify_one();
            }
        }
    }

    /// Ends the work on actions of the same machine that this one has replaced.
    fn cancel_others(&self, work: &Work) {
        let works = self.works();
        let replaced = (works.values()).filter(|other| other.machine_id == work.machine_id);
        replaced.for_each(|other| other.cancel());
    }

    /// Renews all leases after a third of their time.
    async fn renew_if_due(&self) -> Result<(), WorkError> {
        let context = &self.context;
        let now = context.clock.instant();
        let interval = context.settings.lease.unsigned_abs() / 3;
        let last = *self.renewed_at();
        if last.is_some_and(|last| now.duration_since(last) < interval) {
            return Ok(());
        }
        let ids: Vec<String> = self.works().keys().cloned().collect();
        if !ids.is_empty() {
            let connection = context.connection().await?;
            let held = store::actions::renew(&connection, context.lease(), &ids).await?;
            for (id, work) in &*self.works() {
                if ids.contains(id) && !held.contains(id) {
                    work.cancel();
                }
            }
        }
        *self.renewed_at() = Some(now);
        Ok(())
    }

    fn all_works(&self) -> Vec<Arc<Work>> {
        self.works().values().cloned().collect()
    }

    fn works(&self) -> MutexGuard<'_, HashMap<String, Arc<Work>>> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn renewed_at(&self) -> MutexGuard<'_, Option<Instant>> {
        let renewed_at = self.renewed_at.lock();
        renewed_at.unwrap_or_else(PoisonError::into_inner)
    }
}
