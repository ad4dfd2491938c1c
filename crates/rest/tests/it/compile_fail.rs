//! Mistakes in declarations and what the compiler says about them.
