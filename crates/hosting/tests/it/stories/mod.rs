//! Actions of authors and operators, and their effects.

mod broken_files;
mod changes;
mod database_away;
mod demo;
mod hostile_markdown;
mod opening_day;
mod outage;
mod replicas;
mod widget_in_a_page;
