//! `innkeeper hosting feedback`: shows readers' feedback on articles.

use std::fmt::Write as _;

use clap::Args;
use innkeeper_hosting::feedback::{FeedbackCount, csv};
use serde_json::json;

use crate::output;
use crate::settings_source::SettingsSource;
use crate::task;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print JSON instead of a table
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print each entry as CSV, comments included
    #[arg(long)]
    csv: bool,
}

pub(super) fn run(source: &SettingsSource, arguments: &Arguments) -> anyhow::Result<()> {
    let config = source.hosting_config()?;
    if arguments.csv {
        let entries = task::run(innkeeper_hosting::feedback_entries(&config))?;
        return output::print(&csv(&entries));
    }
    let counts = task::run(innkeeper_hosting::feedback_counts(&config))?;
    if arguments.json {
        return output::print_json(&json!(counts));
    }
    output::print(&table(&counts))
}

fn table(counts: &[FeedbackCount]) -> String {
    let mut text = format!(
        "{:<9}{:<13}{:<10}{:<22}ARTICLE\n",
        "HELPFUL", "NOT HELPFUL", "COMMENTS", "LAST"
    );
    for count in counts {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<9}{:<13}{:<10}{:<22}{}",
            count.helpful,
            count.not_helpful,
            count.comments,
            format!("{:.0}", count.last_at),
            output::on_one_line(&count.path),
        );
    }
    text
}
