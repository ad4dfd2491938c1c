//! Measurements, by scenario and server.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::load::Sample;
use crate::server::{Algorithm, Subject};

/// Resident memory of a server that has just started.
pub(crate) const IDLE: &str = "idle";
/// Resident memory a while after the last request.
pub(crate) const IDLE_AGAIN: &str = "idle-after-load";
/// The time from the start of the process to the first responses.
pub(crate) const START: &str = "start";

#[derive(Debug, Default)]
pub(crate) struct Results {
    cells: Vec<Cell>,
}

/// The samples of one scenario on one server.
#[derive(Debug)]
struct Cell {
    row: RowName,
    samples: Vec<Sample>,
}

/// The row that a sample belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowName {
    pub(crate) scenario: &'static str,
    pub(crate) subject: Subject,
    /// `None` if nothing is signed.
    pub(crate) algorithm: Option<Algorithm>,
}

/// The medians of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: RowName,
    pub(crate) per_s: Option<f64>,
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) cpu_ms: Option<f64>,
    pub(crate) rss_kb: Option<f64>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    scenario: &'a str,
    server: &'a str,
    alg: Option<&'a str>,
    per_s: Option<f64>,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    cpu_ms: Option<f64>,
    rss_kb: Option<f64>,
}

impl Results {
    pub(crate) fn add(&mut self, row: RowName, sample: Sample) {
        match self.cells.iter_mut().find(|cell| cell.row == row) {
            Some(cell) => cell.samples.push(sample),
            None => self.cells.push(Cell {
                row,
                samples: vec![sample],
            }),
        }
    }

    /// Returns all rows, ordered by scenario.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut scenarios: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !scenarios.contains(&cell.row.scenario) {
                scenarios.push(cell.row.scenario);
            }
        }
        let place = |name: &str| scenarios.iter().position(|scenario| *scenario == name);
        let mut rows: Vec<_> = self.cells.iter().map(Cell::median).collect();
        rows.sort_by_key(|row| place(row.name.scenario));
        rows
    }

    /// Returns the row of Innkeeper's server.
    pub(crate) fn ours(&self, scenario: &str, algorithm: Algorithm) -> Option<Row> {
        self.rows().into_iter().find(|row| {
            row.name.scenario == scenario
                && row.name.subject == Subject::Innkeeper
                && row.name.algorithm == Some(algorithm)
        })
    }

    /// Returns the most memory that Innkeeper's server used in any window.
    pub(crate) fn our_peak_kb(&self) -> Option<u64> {
        let ours = |cell: &&Cell| cell.row.subject == Subject::Innkeeper;
        let cells = self.cells.iter().filter(ours);
        cells
            .flat_map(|cell| &cell.samples)
            .filter_map(|sample| sample.rss_kb)
            .max()
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let rows = self.rows();
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        let json = serde_json::to_string_pretty(&rows)?;
        std::fs::write(file, json + "\n").with_context(|| format!("writing {}", file.display()))
    }
}

impl Cell {
    fn median(&self) -> Row {
        let of = |value: &dyn Fn(&Sample) -> Option<f64>| {
            median(self.samples.iter().filter_map(value).collect())
        };
        let is_load = |sample: &Sample| sample.per_s > 0.0;
        let has_times = |sample: &Sample| sample.p50_ms > 0.0;
        Row {
            name: self.row,
            per_s: of(&|sample| is_load(sample).then_some(sample.per_s)),
            p50_ms: of(&|sample| has_times(sample).then_some(sample.p50_ms)),
            p99_ms: of(&|sample| has_times(sample).then_some(sample.p99_ms)),
            cpu_ms: of(&|sample| sample.cpu_ms),
            rss_kb: of(&|sample| {
                sample
                    .rss_kb
                    .and_then(|kb| u32::try_from(kb).ok())
                    .map(f64::from)
            }),
        }
    }
}

impl Row {
    fn json(&self) -> JsonRow<'_> {
        let rounded =
            |value: Option<f64>, digits: f64| value.map(|value| (value * digits).round() / digits);
        JsonRow {
            scenario: self.name.scenario,
            server: self.name.subject.name(),
            alg: self.name.algorithm.map(Algorithm::name),
            per_s: rounded(self.per_s, 10.0),
            p50_ms: rounded(self.p50_ms, 1000.0),
            p99_ms: rounded(self.p99_ms, 1000.0),
            cpu_ms: rounded(self.cpu_ms, 10_000.0),
            rss_kb: rounded(self.rss_kb, 1.0),
        }
    }
}

/// Returns the median; of an even number of values, the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_medians_and_stand_together_by_scenario() {
        let mut results = Results::default();
        let row = |scenario, subject| RowName {
            scenario,
            subject,
            algorithm: None,
        };
        let sample = |per_s| Sample {
            per_s,
            ..Sample::default()
        };
        results.add(row("user", Subject::Lite), sample(5.0));
        results.add(row("refresh", Subject::Lite), sample(7.0));
        results.add(row("user", Subject::Driver), sample(9.0));
        results.add(row("user", Subject::Lite), sample(7.0));
        let rows: Vec<_> = results
            .rows()
            .iter()
            .map(|row| (row.name.scenario, row.name.subject, row.per_s))
            .collect();
        assert_eq!(
            rows,
            [
                ("user", Subject::Lite, Some(6.0)),
                ("user", Subject::Driver, Some(9.0)),
                ("refresh", Subject::Lite, Some(7.0)),
            ]
        );
        assert_eq!(median(Vec::new()), None);
    }
}
