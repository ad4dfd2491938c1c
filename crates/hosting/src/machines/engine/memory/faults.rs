//! What goes wrong with an engine.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::machines::engine::EngineError;

/// A call of an engine, named as the function of the trait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineCall {
    Observe,
    ObserveAll,
    Create,
    Start,
    Signal,
    PressPowerButton,
    Reset,
    /// `kill` of a game server, `power_off` of a virtual private server.
    TurnOff,
    Delete,
    Attach,
    Log,
    Usage,
    DiskUsage,
}

impl EngineCall {
    /// Tells whether the call changes something.
    pub(super) fn is_change(self) -> bool {
        matches!(
            self,
            Self::Create
                | Self::Start
                | Self::Signal
                | Self::PressPowerButton
                | Self::Reset
                | Self::TurnOff
                | Self::Delete
        )
    }
}

/// A moment of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before it has an effect.
    Before,
    /// After it had its effect, before the caller knows.
    After,
}

/// A call that is held.
#[derive(Debug, Clone)]
pub struct Stall {
    moment: Moment,
    /// How many callers have come to it.
    reached: Arc<watch::Sender<u32>>,
    is_released: Arc<watch::Sender<bool>>,
}

impl Stall {
    /// Waits until a caller is held.
    pub async fn reached(&self) {
        let mut reached = self.reached.subscribe();
        // The sender is `self`.
        reached.wait_for(|count| *count > 0).await.ok();
    }

    /// Lets callers pass, those that are held and those that come.
    pub fn release(&self) {
        self.is_released.send_replace(true);
    }

    async fn hold(&self) {
        self.reached.send_modify(|count| *count += 1);
        let mut is_released = self.is_released.subscribe();
        is_released.wait_for(|is_released| *is_released).await.ok();
    }
}

/// The faults of a host.
#[derive(Debug, Default)]
pub(super) struct Faults {
    settings: Mutex<FaultSettings>,
}

#[derive(Debug, Default)]
struct FaultSettings {
    is_away: bool,
    is_hanging: bool,
    delay: Duration,
    failures: HashMap<EngineCall, (EngineError, usize)>,
    stalls: HashMap<EngineCall, Stall>,
}

impl Faults {
    pub(super) fn fail(&self, call: EngineCall, error: EngineError, times: usize) {
        self.settings().failures.insert(call, (error, times));
    }

    pub(super) fn set_away(&self, is_away: bool) {
        self.settings().is_away = is_away;
    }

    pub(super) fn set_hanging(&self, is_hanging: bool) {
        self.settings().is_hanging = is_hanging;
    }

    pub(super) fn set_delay(&self, delay: Duration) {
        self.settings().delay = delay;
    }

    pub(super) fn stall(&self, call: EngineCall, moment: Moment) -> Stall {
        let stall = Stall {
            moment,
            reached: Arc::new(watch::Sender::new(0)),
            is_released: Arc::new(watch::Sender::new(false)),
        };
        self.settings().stalls.insert(call, stall.clone());
        stall
    }

    /// What happens before a call has its effect.
    pub(super) async fn before(&self, call: EngineCall) -> Result<(), EngineError> {
        let delay = self.settings().delay;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        self.hold(call, Moment::Before).await;
        if self.settings().is_hanging {
            pending::<()>().await;
        }
        let mut settings = self.settings();
        if settings.is_away {
            return Err(EngineError::Unreachable("connection refused".to_owned()));
        }
        match settings.failures.get_mut(&call) {
            Some((error, times)) if *times > 0 => {
                *times -= 1;
                Err(error.clone())
            }
            _ => Ok(()),
        }
    }

    /// What happens after a call had its effect.
    pub(super) async fn after(&self, call: EngineCall) {
        self.hold(call, Moment::After).await;
    }

    async fn hold(&self, call: EngineCall, moment: Moment) {
        let stall = self.settings().stalls.get(&call).cloned();
        if let Some(stall) = stall.filter(|stall| stall.moment == moment) {
            stall.hold().await;
        }
    }

    fn settings(&self) -> MutexGuard<'_, FaultSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
