//! Room for bytes that come and go. Connections that wait have none: it is lent to those that are at work,
//! which are few, and so it stays where memory is fast.

use std::cell::RefCell;

/// What is lent first; it grows as needed.
const ROOM: usize = 4 * 1024;

/// More than this is not kept.
const LARGEST: usize = 16 * 1024;

/// As many as one request needs, and some for those that wait for something.
const MOST: usize = 8;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Empty room.
pub(crate) fn take() -> Vec<u8> {
    let spare = SPARE.try_with(|spare| spare.borrow_mut().pop());
    // A thread that ends lends nothing.
    spare
        .ok()
        .flatten()
        .unwrap_or_else(|| Vec::with_capacity(ROOM))
}

/// Takes room back for the next one who needs some.
pub(crate) fn give_back(mut room: Vec<u8>) {
    if room.capacity() == 0 || room.capacity() > LARGEST {
        return;
    }
    room.clear();
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < MOST {
            spare.push(room);
        }
    });
}
