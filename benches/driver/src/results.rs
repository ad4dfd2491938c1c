//! Measurements, by route and server.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::server::Server;

#[derive(Debug, Default)]
pub(crate) struct Results {
    cells: Vec<Cell>,
    /// Windows in which a server sent no response.
    pub(crate) discarded: usize,
}

/// The measurements of one case on one server.
#[derive(Debug)]
pub(crate) struct Cell {
    route: String,
    server: Server,
    /// Instructions per request.
    pub(crate) instructions: Option<u64>,
    /// Processor time per request in microseconds, by round.
    pub(crate) cpu_us: Samples,
    /// Requests per second, by round.
    pub(crate) per_s: Samples,
}

#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

/// The median of some samples, and their range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

#[derive(Serialize)]
struct Row<'a> {
    route: &'a str,
    server: &'static str,
    instructions: Option<u64>,
    cpu_us: Option<f64>,
    per_s: Option<f64>,
}

impl Results {
    /// Returns the cell to fill in.
    pub(crate) fn cell(&mut self, route: &str, server: Server) -> &mut Cell {
        let found = self.cells.iter().position(|cell| cell.is(route, server));
        let index = found.unwrap_or(self.cells.len());
        if found.is_none() {
            self.cells.push(Cell {
                route: route.to_owned(),
                server,
                instructions: None,
                cpu_us: Samples::default(),
                per_s: Samples::default(),
            });
        }
        #[expect(clippy::indexing_slicing, reason = "found or pushed just above")]
        &mut self.cells[index]
    }

    pub(crate) fn get(&self, route: &str, server: Server) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.is(route, server))
    }

    pub(crate) fn instructions(&self, route: &str, server: Server) -> Option<u64> {
        self.get(route, server)?.instructions
    }

    pub(crate) fn has_load(&self) -> bool {
        self.cells.iter().all(|cell| cell.per_s.spread().is_some())
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let rows: Vec<_> = self.cells.iter().map(Cell::row).collect();
        let json = serde_json::to_string_pretty(&rows)?;
        std::fs::write(file, json + "\n").with_context(|| format!("writing {}", file.display()))
    }
}

impl Cell {
    fn is(&self, route: &str, server: Server) -> bool {
        self.route == route && self.server == server
    }

    fn row(&self) -> Row<'_> {
        let cpu_us = self
            .cpu_us
            .spread()
            .map(|spread| (spread.median * 1000.0).round() / 1000.0);
        let per_s = self.per_s.spread().map(|spread| spread.median.round());
        let (route, server) = (&self.route, self.server.name());
        Row {
            route,
            server,
            instructions: self.instructions,
            cpu_us,
            per_s,
        }
    }
}

impl Samples {
    pub(crate) fn push(&mut self, sample: f64) {
        self.0.push(sample);
    }

    pub(crate) fn spread(&self) -> Option<Spread> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let lower = *sorted.get(sorted.len().checked_sub(1)? / 2)?;
        let median = f64::midpoint(lower, upper);
        Some(Spread {
            median,
            least: *sorted.first()?,
            most: *sorted.last()?,
        })
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(samples: I) -> Self {
        Self(samples.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middles() {
        let median = |samples: &[f64]| {
            let samples: Samples = samples.iter().copied().collect();
            samples
                .spread()
                .map(|spread| (spread.least, spread.median, spread.most))
        };
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some((1.0, 2.0, 3.0)));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some((1.0, 2.5, 4.0)));
    }
}
