//! Parsing of the files that authors and operators write: faults with line numbers, dates, TOML tables, and
//! style sheets.

mod css;
mod date;
mod fault;
mod toml_table;

pub(crate) use css::read_css;
pub(crate) use date::SourceDate;
pub(crate) use fault::{Fault, line_at, lines_in};
pub(crate) use toml_table::TomlTable;
