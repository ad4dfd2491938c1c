//! Limits on what a template may contain and what a rendering may cost.

/// How many blocks and parentheses of a template may be inside of one another.
pub const MAX_NESTING: usize = 100;

/// How many bytes one rendering may write.
pub const MAX_OUTPUT: usize = 2 * 1024 * 1024;

/// How many blocks and pipelines a rendering may be inside of, those of called templates included.
pub(crate) const MAX_DEPTH: usize = 2 * MAX_NESTING;

/// How many variables may be in scope at once.
pub(crate) const MAX_VARIABLES: usize = 100;

/// The largest width and precision in a format of `printf`.
pub(crate) const MAX_WIDTH: usize = 1000;

/// The work that one rendering may do: each step costs [`STEP_COST`], each byte that is written, copied or
/// compared costs one.
pub(crate) const BUDGET: usize = 20_000_000;

/// What one step of a rendering costs.
pub(crate) const STEP_COST: usize = 100;
