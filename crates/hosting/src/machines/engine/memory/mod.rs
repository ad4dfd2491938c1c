//! An engine whose machines are values in memory, for tests and benchmarks. It does what real engines do, also
//! what they do wrong: it can fail, hang, be away, lose machines and stall in the middle of a call.

mod demo_guest;
mod faults;
#[cfg(test)]
mod game_tests;
mod games;
mod host;
mod machine;
mod vps;
#[cfg(test)]
mod vps_tests;

use std::sync::Arc;

use super::Engines;

pub use faults::{EngineCall, Moment, Stall};
pub use host::MemoryHost;
pub use machine::Guest;

impl MemoryHost {
    /// Returns the engines of the host.
    pub fn engines(&self) -> Engines {
        Engines {
            game: Some(Arc::new(games::MemoryGames(self.clone()))),
            vps: Some(Arc::new(vps::MemoryVps(self.clone()))),
        }
    }
}
