//! What no client should send, and what it gets.
