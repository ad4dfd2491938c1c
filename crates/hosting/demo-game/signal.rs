//! SIGTERM. The first process of a container gets only signals that it handles.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crate::Event;

const SIGTERM: i32 = 15;

static TERMINATED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

extern "C" fn remember(_number: i32) {
    TERMINATED.store(true, Ordering::Relaxed);
}

/// Sends an event when SIGTERM arrives.
pub fn watch(events: Sender<Event>) {
    // Sound: the handler only stores to an atomic, which is allowed in a handler.
    unsafe { signal(SIGTERM, remember) };
    thread::spawn(move || {
        while !TERMINATED.swap(false, Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = events.send(Event::Terminate);
    });
}
