//! A pool of byte buffers per thread.
//!
//! A connection that waits has no buffer. Those that are at work, which are few, borrow one, so the
//! same memory is used again while it is still in the CPU cache.

use std::cell::RefCell;

/// The capacity of a new buffer; it grows as needed.
const INITIAL_CAPACITY: usize = 4 * 1024;

/// Larger buffers are not kept.
const MAX_CAPACITY: usize = 16 * 1024;

/// As many buffers as one request needs, and some for those that wait for something.
const MAX_BUFFERS: usize = 8;

thread_local! {
    static POOL: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Takes an empty buffer from the pool, or allocates one.
pub(crate) fn take_buffer() -> Vec<u8> {
    let pooled = POOL.try_with(|pool| pool.borrow_mut().pop());
    // A thread that ends has no pool any more.
    pooled
        .ok()
        .flatten()
        .unwrap_or_else(|| Vec::with_capacity(INITIAL_CAPACITY))
}

/// Returns a buffer to the pool.
pub(crate) fn recycle_buffer(mut buffer: Vec<u8>) {
    if buffer.capacity() == 0 || buffer.capacity() > MAX_CAPACITY {
        return;
    }
    buffer.clear();
    let _ = POOL.try_with(|pool| {
        let mut pool = pool.borrow_mut();
        if pool.len() < MAX_BUFFERS {
            pool.push(buffer);
        }
    });
}
