//! The open sockets of all consoles: how many there are, and which must close.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::close::CloseReason;

/// How many sockets a key may have on one machine.
const PER_MACHINE_AND_KEY: usize = 5;
/// How many sockets a machine may have.
const PER_MACHINE: usize = 30;
/// How many sockets a key may have.
const PER_KEY: usize = 200;

/// The open sockets.
#[derive(Debug, Default)]
pub(crate) struct SocketRegistry(Mutex<OpenSockets>);

#[derive(Debug, Default)]
struct OpenSockets {
    next_id: u64,
    by_id: HashMap<u64, Arc<OpenSocket>>,
    per_key: HashMap<String, usize>,
    per_machine: HashMap<Uuid, HashMap<String, usize>>,
}

/// An open socket.
#[derive(Debug)]
pub(crate) struct OpenSocket {
    id: u64,
    pub(crate) machine: Uuid,
    pub(crate) key_id: String,
    close: Mutex<Option<CloseReason>>,
}

impl OpenSocket {
    /// Returns why the socket must close.
    pub(crate) fn close_reason(&self) -> Option<CloseReason> {
        *self.close.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the socket to close. The first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        let mut close = self.close.lock().unwrap_or_else(PoisonError::into_inner);
        close.get_or_insert(reason);
    }
}

impl SocketRegistry {
    fn lock(&self) -> MutexGuard<'_, OpenSockets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a socket; `None` if the key or the machine has too many.
    pub(crate) fn open(&self, machine: Uuid, key_id: &str) -> Option<Arc<OpenSocket>> {
        let mut sockets = self.lock();
        let of_machine = sockets.per_machine.get(&machine);
        let on_machine: usize = of_machine.map_or(0, |keys| keys.values().sum());
        let of_both = of_machine.and_then(|keys| keys.get(key_id));
        let of_key = sockets.per_key.get(key_id);
        let is_free = on_machine < PER_MACHINE
            && of_both.copied().unwrap_or(0) < PER_MACHINE_AND_KEY
            && of_key.copied().unwrap_or(0) < PER_KEY;
        if !is_free {
            return None;
        }
        sockets.next_id += 1;
        let socket = Arc::new(OpenSocket {
            id: sockets.next_id,
            machine,
            key_id: key_id.to_owned(),
            close: Mutex::new(None),
        });
        let keys = sockets.per_machine.entry(machine).or_default();
        *keys.entry(key_id.to_owned()).or_default() += 1;
        *sockets.per_key.entry(key_id.to_owned()).or_default() += 1;
        sockets.by_id.insert(socket.id, Arc::clone(&socket));
        Some(socket)
    }

    /// Removes a socket.
    pub(crate) fn remove(&self, socket: &OpenSocket) {
        let mut sockets = self.lock();
        if sockets.by_id.remove(&socket.id).is_none() {
            return;
        }
        decrement(&mut sockets.per_key, &socket.key_id);
        if let Some(keys) = sockets.per_machine.get_mut(&socket.machine) {
            decrement(keys, &socket.key_id);
            if keys.is_empty() {
                sockets.per_machine.remove(&socket.machine);
            }
        }
    }

    /// Returns all open sockets.
    pub(crate) fn all(&self) -> Vec<Arc<OpenSocket>> {
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
    use super::*;

    #[test]
    fn a_key_has_five_sockets_on_a_machine() {
        let registry = SocketRegistry::default();
        let machine = Uuid::from_u128(1);
        let open: Vec<_> = (0..5)
            .map(|_| registry.open(machine, "a").unwrap())
            .collect();
        assert!(registry.open(machine, "a").is_none());
        assert!(registry.open(machine, "b").is_some());
        assert!(registry.open(Uuid::from_u128(2), "a").is_some());
        registry.remove(&open[0]);
        registry.remove(&open[0]);
        assert!(registry.open(machine, "a").is_some());
        assert!(registry.open(machine, "a").is_none());
    }

    #[test]
    fn a_machine_has_thirty_sockets() {
        let registry = SocketRegistry::default();
        let machine = Uuid::from_u128(1);
        for number in 0..30 {
            assert!(registry.open(machine, &(number / 5).to_string()).is_some());
        }
        assert!(registry.open(machine, "other").is_none());
        for socket in registry.all() {
            registry.remove(&socket);
        }
        let sockets = registry.lock();
        assert!(sockets.per_key.is_empty() && sockets.per_machine.is_empty());
    }

    #[test]
    fn a_key_has_two_hundred_sockets() {
        let registry = SocketRegistry::default();
        for number in 0..200 {
            assert!(registry.open(Uuid::from_u128(number / 5), "a").is_some());
        }
        assert!(registry.open(Uuid::from_u128(999), "a").is_none());
    }

    #[test]
    fn the_first_reason_to_close_counts() {
        let registry = SocketRegistry::default();
        let one = registry.open(Uuid::from_u128(1), "a").unwrap();
        let two = registry.open(Uuid::from_u128(2), "a").unwrap();
        registry.close_machine(one.machine, CloseReason::Suspended);
        assert_eq!(two.close_reason(), None);
        registry.close_everything(CloseReason::Draining);
        assert_eq!(one.close_reason(), Some(CloseReason::Suspended));
        assert_eq!(two.close_reason(), Some(CloseReason::Draining));
    }
}
