//! Parsing of the files that authors and operators write: faults with line numbers, dates, and TOML
//! tables.

mod date;
mod fault;
mod toml_table;

pub(crate) use date::SourceDate;
pub(crate) use fault::{Fault, line_at, lines_in};
pub(crate) use toml_table::TomlTable;
