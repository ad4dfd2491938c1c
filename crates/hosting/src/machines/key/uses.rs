//! The last use of keys, which is written beside requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::format::KeyId;
use crate::store::api_keys::KeyUse;

/// How exact the stored last use is, and how often it is written at most.
const PRECISION: SignedDuration = SignedDuration::from_mins(1);
/// The most uses that wait to be written. The uses of further keys are left out.
const CAPACITY: usize = 10_000;

/// Uses that wait to be written, the last of each key.
#[derive(Debug, Default)]
pub(super) struct PendingUses(Mutex<HashMap<KeyId, (Timestamp, Option<IpAddr>)>>);

impl PendingUses {
    /// Tells whether a use now is to be written, for a key that was last used at a time, also if that is in
    /// the future because a clock went wrong.
    pub(super) fn is_due(last_used_at: Option<Timestamp>, now: Timestamp) -> bool {
        last_used_at.is_none_or(|last| now.duration_since(last).abs() >= PRECISION)
    }

    /// Adds a use.
    pub(super) fn add(&self, key: KeyId, at: Timestamp, address: Option<IpAddr>) {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.len() < CAPACITY || pending.contains_key(&key) {
            pending.insert(key, (at, address));
        }
    }

    /// Takes all uses.
    pub(super) fn take(&self) -> Vec<KeyUse> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let uses = pending.drain().map(|(key, (at, address))| KeyUse {
            key_id: key.as_str().to_owned(),
            at,
            address: address.map_or_else(String::new, |address| address.to_string()),
        });
        uses.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_due_once_a_minute() {
        let now = Timestamp::from_second(1_000_000).unwrap();
        let ago = |seconds| Some(now - SignedDuration::from_secs(seconds));
        assert!(PendingUses::is_due(None, now));
        assert!(!PendingUses::is_due(ago(0), now));
        assert!(!PendingUses::is_due(ago(59), now));
        assert!(PendingUses::is_due(ago(60), now));
        assert!(!PendingUses::is_due(ago(-59), now));
        assert!(PendingUses::is_due(ago(-3600), now), "the clock was ahead");
    }

    #[test]
    fn the_last_use_of_each_key_waits_and_their_number_is_bounded() {
        let uses = PendingUses::default();
        let id = |number: usize| KeyId::parse(&format!("{number:012}")).unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        for number in 0..CAPACITY + 5 {
            uses.add(id(number), at(1), None);
        }
        let address: IpAddr = "192.0.2.7".parse().unwrap();
        uses.add(id(0), at(2), Some(address));
        let taken = uses.take();
        assert_eq!(taken.len(), CAPACITY);
        let first = taken.iter().find(|used| used.key_id == "000000000000");
        let first = first.map(|used| (used.at, used.address.as_str()));
        assert_eq!(first, Some((at(2), "192.0.2.7")));
        assert!(uses.take().is_empty());
    }
}
