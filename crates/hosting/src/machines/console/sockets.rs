//! The open sockets of all consoles: how many there are, and which must close.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::close::CloseReason;
use super::hub::ConsoleHub;
use crate::machines::key::{KeyChecker, KeyError, VerifiedKey};
use crate::model::Scope;

/// How many sockets a key may have on one machine.
const PER_MACHINE_AND_KEY: usize = 5;
/// How many sockets a machine may have.
const PER_MACHINE: usize = 30;
/// How many sockets a key may have.
const PER_KEY: usize = 200;
/// How long after a ticket a page gets the next one. A ticket works for 30 seconds.
const TICKET_INTERVAL: Duration = Duration::from_secs(20);

/// The open sockets.
#[derive(Debug, Default)]
pub(crate) struct SocketRegistry(Mutex<OpenSockets>);

#[derive(Debug, Default)]
struct OpenSockets {
    next_id: u64,
    by_id: HashMap<u64, Arc<SocketEntry>>,
    per_key: HashMap<String, usize>,
    per_machine: HashMap<Uuid, HashMap<String, usize>>,
}

/// An open socket. Dropping it makes room for another one.
pub(crate) struct OpenSocket {
    hub: Arc<ConsoleHub>,
    entry: Arc<SocketEntry>,
}

/// What the registry knows about an open socket.
#[derive(Debug)]
struct SocketEntry {
    id: u64,
    machine: Uuid,
    key_id: String,
    status: Mutex<SocketStatus>,
}

#[derive(Debug)]
struct SocketStatus {
    /// The key with its current rights.
    key: Arc<VerifiedKey>,
    close: Option<CloseReason>,
    /// When the page got its last ticket; `None` if it was not opened with one.
    last_ticket: Option<Instant>,
    is_ticket_due: bool,
}

impl SocketEntry {
    fn status(&self) -> MutexGuard<'_, SocketStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the socket to close. The first reason counts.
    fn close(&self, reason: CloseReason) {
        self.status().close.get_or_insert(reason);
    }

    /// Notes what the check of its key found. Returns whether the socket must look.
    fn note_check(&self, checked: &Result<Arc<VerifiedKey>, KeyError>) -> bool {
        let mut status = self.status();
        let reason = match checked {
            Ok(key) if !key.allows(Scope::GameConsoleRead) || !key.may_use(self.machine) => {
                CloseReason::ScopeLost
            }
            Ok(key) => {
                status.key = Arc::clone(key);
                return false;
            }
            // Nobody could say for a while whether the key is still valid.
            Err(KeyError::Unavailable(_)) => CloseReason::Overloaded,
            Err(_) => CloseReason::KeyGone,
        };
        status.close.get_or_insert(reason);
        true
    }

    /// Notes that a page needs its next ticket, if it does. Returns whether the socket must look.
    fn note_ticket(&self, now: Instant) -> bool {
        let mut status = self.status();
        let age = status
            .last_ticket
            .map(|last| now.saturating_duration_since(last));
        let is_due = age.is_some_and(|age| age >= TICKET_INTERVAL);
        status.is_ticket_due |= is_due;
        is_due
    }
}

impl OpenSocket {
    /// Returns why the socket must close.
    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        self.entry.status().close
    }

    /// Returns the key with its current rights.
    pub(super) fn key(&self) -> Arc<VerifiedKey> {
        Arc::clone(&self.entry.status().key)
    }

    pub(super) fn machine(&self) -> Uuid {
        self.entry.machine
    }

    pub(super) fn hub(&self) -> &Arc<ConsoleHub> {
        &self.hub
    }

    /// Notes that the page got a ticket now.
    pub(super) fn note_ticket_sent(&self) {
        let now = self.hub.clock().instant();
        let mut status = self.entry.status();
        status.last_ticket = Some(now);
        status.is_ticket_due = false;
    }

    /// Tells whether the page needs its next ticket.
    pub(super) fn is_ticket_due(&self) -> bool {
        self.entry.status().is_ticket_due
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.hub.sockets().remove(&self.entry);
    }
}

impl SocketRegistry {
    fn lock(&self) -> MutexGuard<'_, OpenSockets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a socket; `None` if the key or the machine has too many.
    fn add(&self, machine: Uuid, key: &Arc<VerifiedKey>) -> Option<Arc<SocketEntry>> {
        let key_id = key.key.id.as_str();
        let mut sockets = self.lock();
        let of_machine = sockets.per_machine.get(&machine);
        let machine_total: usize = of_machine.map_or(0, |keys| keys.values().sum());
        let of_both = of_machine.and_then(|keys| keys.get(key_id));
        let of_key = sockets.per_key.get(key_id);
        let is_free = machine_total < PER_MACHINE
            && of_both.copied().unwrap_or(0) < PER_MACHINE_AND_KEY
            && of_key.copied().unwrap_or(0) < PER_KEY;
        if !is_free {
            return None;
        }
        sockets.next_id += 1;
        let entry = Arc::new(SocketEntry {
            id: sockets.next_id,
            machine,
            key_id: key_id.to_owned(),
            status: Mutex::new(SocketStatus {
                key: Arc::clone(key),
                close: None,
                last_ticket: None,
                is_ticket_due: false,
            }),
        });
        let keys = sockets.per_machine.entry(machine).or_default();
        *keys.entry(key_id.to_owned()).or_default() += 1;
        *sockets.per_key.entry(key_id.to_owned()).or_default() += 1;
        sockets.by_id.insert(entry.id, Arc::clone(&entry));
        Some(entry)
    }

    fn remove(&self, entry: &SocketEntry) {
        let mut sockets = self.lock();
        if sockets.by_id.remove(&entry.id).is_none() {
            return;
        }
        decrement(&mut sockets.per_key, &entry.key_id);
        if let Some(keys) = sockets.per_machine.get_mut(&entry.machine) {
            decrement(keys, &entry.key_id);
            if keys.is_empty() {
                sockets.per_machine.remove(&entry.machine);
            }
        }
    }

    fn all(&self) -> Vec<Arc<SocketEntry>> {
        self.lock().by_id.values().cloned().collect()
    }

    /// Tells all sockets of a machine to close.
    pub(crate) fn close_machine(&self, machine: Uuid, reason: CloseReason) {
        let sockets = self.lock();
        let of_machine = sockets.by_id.values();
        for socket in of_machine.filter(|socket| socket.machine == machine) {
            socket.close(reason);
        }
    }

    /// Tells all sockets to close.
    pub(crate) fn close_everything(&self, reason: CloseReason) {
        for socket in self.lock().by_id.values() {
            socket.close(reason);
        }
    }
}

impl ConsoleHub {
    /// Makes room for a socket; `None` if the key or the machine has too many.
    pub(crate) fn open_socket(
        self: &Arc<Self>,
        machine: Uuid,
        key: &Arc<VerifiedKey>,
    ) -> Option<OpenSocket> {
        let entry = self.sockets().add(machine, key)?;
        Some(OpenSocket {
            hub: Arc::clone(self),
            entry,
        })
    }

    /// Checks the keys of all open sockets again, wakes those that must close, and finds pages that need their next
    /// ticket. To be called twice a second, so that a revoked key closes its sockets within five seconds.
    pub(crate) async fn check_sockets(&self, keys: &KeyChecker) {
        let entries = self.sockets().all();
        let now = self.clock().instant();
        let mut checked: HashMap<&str, Result<Arc<VerifiedKey>, KeyError>> = HashMap::new();
        for entry in &entries {
            if !checked.contains_key(entry.key_id.as_str()) {
                let key = keys.recheck(&entry.key_id).await;
                checked.insert(&entry.key_id, key);
            }
        }
        for entry in &entries {
            let key = checked.get(entry.key_id.as_str());
            let must_close = key.is_some_and(|key| entry.note_check(key));
            if (entry.note_ticket(now) || must_close)
                && let Some(room) = self.open_room(entry.machine)
            {
                room.wake();
            }
        }
        self.wake_slow_readers();
    }
}

fn decrement(counts: &mut HashMap<String, usize>, key_id: &str) {
    if let Some(count) = counts.get_mut(key_id) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{ApiKey, Scopes};

    fn key(id: &str) -> Arc<VerifiedKey> {
        Arc::new(VerifiedKey {
            key: ApiKey {
                id: id.to_owned(),
                customer_id: "cus_1".to_owned(),
                name: String::new(),
                scopes: Scopes::new([Scope::GameConsoleRead]),
                machines: None,
                networks: None,
                created_at: Timestamp::UNIX_EPOCH,
                expires_at: None,
                revoked_at: None,
                last_used_at: None,
                last_used_from: None,
            },
        })
    }

    #[test]
    fn a_key_has_five_sockets_on_a_machine() {
        let registry = SocketRegistry::default();
        let machine = Uuid::from_u128(1);
        let a = key("a");
        let open: Vec<_> = (0..5).map(|_| registry.add(machine, &a).unwrap()).collect();
        assert!(registry.add(machine, &a).is_none());
        assert!(registry.add(machine, &key("b")).is_some());
        assert!(registry.add(Uuid::from_u128(2), &a).is_some());
        registry.remove(&open[0]);
        registry.remove(&open[0]);
        assert!(registry.add(machine, &a).is_some());
        assert!(registry.add(machine, &a).is_none());
    }

    #[test]
    fn a_machine_has_thirty_sockets() {
        let registry = SocketRegistry::default();
        let machine = Uuid::from_u128(1);
        for number in 0..30 {
            let key = key(&(number / 5).to_string());
            assert!(registry.add(machine, &key).is_some());
        }
        assert!(registry.add(machine, &key("other")).is_none());
        for entry in registry.all() {
            registry.remove(&entry);
        }
        let sockets = registry.lock();
        assert!(sockets.per_key.is_empty() && sockets.per_machine.is_empty());
    }

    #[test]
    fn a_key_has_two_hundred_sockets() {
        let registry = SocketRegistry::default();
        let a = key("a");
        for number in 0..200 {
            assert!(registry.add(Uuid::from_u128(number / 5), &a).is_some());
        }
        assert!(registry.add(Uuid::from_u128(999), &a).is_none());
    }

    #[test]
    fn the_first_reason_to_close_counts() {
        let registry = SocketRegistry::default();
        let one = registry.add(Uuid::from_u128(1), &key("a")).unwrap();
        let two = registry.add(Uuid::from_u128(2), &key("a")).unwrap();
        registry.close_machine(one.machine, CloseReason::Suspended);
        assert_eq!(two.status().close, None);
        registry.close_everything(CloseReason::Draining);
        assert_eq!(one.status().close, Some(CloseReason::Suspended));
        assert_eq!(two.status().close, Some(CloseReason::Draining));
    }

    #[test]
    fn a_socket_closes_when_its_key_loses_the_machine_or_the_scope() {
        let registry = SocketRegistry::default();
        let machine = Uuid::from_u128(1);
        let changed = |change: fn(&mut ApiKey)| {
            let mut key = Arc::into_inner(key("a")).unwrap();
            change(&mut key.key);
            Ok(Arc::new(key))
        };
        for (checked, reason) in [
            (changed(|_| {}), None),
            (
                changed(|key| key.scopes = Scopes::new([Scope::GameRead])),
                Some(CloseReason::ScopeLost),
            ),
            (
                changed(|key| key.machines = Some(Vec::new())),
                Some(CloseReason::ScopeLost),
            ),
            (Err(KeyError::Revoked), Some(CloseReason::KeyGone)),
            (Err(KeyError::Expired), Some(CloseReason::KeyGone)),
            (Err(KeyError::Unauthenticated), Some(CloseReason::KeyGone)),
            (
                Err(KeyError::Unavailable(String::new())),
                Some(CloseReason::Overloaded),
            ),
        ] {
            let entry = registry.add(machine, &key("a")).unwrap();
            assert_eq!(entry.note_check(&checked), reason.is_some());
            assert_eq!(entry.status().close, reason, "{checked:?}");
            registry.remove(&entry);
        }
    }
}
