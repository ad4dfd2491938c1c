//! `Async`, cancelled and detached handlers.
