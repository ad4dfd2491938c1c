//! What customers do in a test with random choices.

use std::time::Duration;

use innkeeper_hosting::model::MachineKind;
use serde_json::{Value, json};

/// A generator of random numbers that can be repeated: `SplitMix64`.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another one.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        let end = u64::try_from(choices.len()).unwrap();
        choices[usize::try_from(self.below(end)).unwrap()]
    }

    /// Returns a time up to this many milliseconds.
    pub(super) fn millis(&mut self, longest: u64) -> Duration {
        Duration::from_millis(self.below(longest + 1))
    }
}

/// Chooses what a customer asks for.
pub(super) fn choose(kind: MachineKind, random: &mut Random) -> (&'static str, Value) {
    let plain = json!({});
    match kind {
        MachineKind::Game => {
            let commands = [
                "start", "start", "start", "stop", "restart", "restart", "kill",
            ];
            (random.choose(&commands), plain)
        }
        MachineKind::Vps => {
            let commands = ["start", "start", "stop", "reset", "reset", "force"];
            match random.choose(&commands) {
                "force" => ("stop", json!({ "force": true })),
                // A guest that has just begun does not notice its power button.
                "stop" => ("stop", json!({ "timeoutSeconds": 2 })),
                command => (command, plain),
            }
        }
    }
}
