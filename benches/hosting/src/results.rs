//! Measurements, by route and server.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cases::Case;
use crate::server::Server;

/// The measurements of one window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) per_s: f64,
    pub(crate) p99_ms: f64,
    /// Processor time per request in microseconds.
    pub(crate) cpu_us: f64,
}

/// A figure without a server to compare with, and its upper limit.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) value: f64,
    pub(crate) most: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct Results {
    cells: Vec<Cell>,
    pub(crate) figures: Vec<Figure>,
    /// Rounds of a case in which a server sent no response.
    pub(crate) discarded: usize,
}

/// The measurements of one case on one server.
#[derive(Debug)]
struct Cell {
    route: String,
    bytes: usize,
    server: Server,
    samples: Vec<Sample>,
    instructions: Option<u64>,
}

/// The medians of a cell.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    pub(crate) route: String,
    pub(crate) server: &'static str,
    pub(crate) bytes: usize,
    pub(crate) per_s: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    pub(crate) cpu_us: Option<f64>,
    pub(crate) instructions: Option<u64>,
}

impl Results {
    fn cell(&mut self, case: &Case, server: Server) -> Option<&mut Cell> {
        let is_it = |cell: &Cell| cell.route == case.name && cell.server == server;
        if !self.cells.iter().any(is_it) {
            self.cells.push(Cell {
                route: case.name.clone(),
                bytes: case.bytes,
                server,
                samples: Vec::new(),
                instructions: None,
            });
        }
        self.cells.iter_mut().find(|cell| is_it(cell))
    }

    /// Adds one window of each server. Windows are compared in pairs, so a round in which a server sent no
    /// response is discarded for both, and counted.
    pub(crate) fn add_round(&mut self, case: &Case, windows: &[(Server, Option<Sample>)]) {
        if windows.iter().any(|(_, sample)| sample.is_none()) {
            self.discarded += 1;
            return;
        }
        for &(server, sample) in windows {
            if let (Some(cell), Some(sample)) = (self.cell(case, server), sample) {
                cell.samples.push(sample);
            }
        }
    }

    pub(crate) fn has_samples(&self, case: &Case) -> bool {
        let of = |cell: &&Cell| cell.route == case.name;
        self.cells
            .iter()
            .filter(of)
            .any(|cell| !cell.samples.is_empty())
    }

    pub(crate) fn count(&mut self, case: &Case, server: Server, instructions: u64) {
        if let Some(cell) = self.cell(case, server) {
            cell.instructions = Some(instructions);
        }
    }

    /// Adds a figure with an upper limit.
    pub(crate) fn figure(&mut self, name: &'static str, unit: &'static str, value: f64, most: f64) {
        self.figures.push(Figure {
            name,
            unit,
            value,
            most: Some(most),
        });
    }

    /// Adds a figure without a limit.
    pub(crate) fn note(&mut self, name: &'static str, unit: &'static str, value: f64) {
        self.figures.push(Figure {
            name,
            unit,
            value,
            most: None,
        });
    }

    /// Returns all routes in the order of measurement, both servers of a route together.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut routes: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !routes.contains(&&*cell.route) {
                routes.push(&cell.route);
            }
        }
        let mut rows = Vec::new();
        for route in routes {
            for server in Server::ALL {
                let of = |cell: &&Cell| cell.route == route && cell.server == server;
                rows.extend(self.cells.iter().find(of).map(Cell::row));
            }
        }
        rows
    }

    pub(crate) fn row(&self, route: &str, server: Server) -> Option<Row> {
        let mut rows = self.rows().into_iter();
        rows.find(|row| row.route == route && row.server == server.name())
    }

    /// Compares our windows with nginx's in pairs and returns the median: other load on the machine affects
    /// two consecutive windows alike, but not two that are minutes apart.
    pub(crate) fn compared(
        &self,
        route: &str,
        compare: fn(&Sample, &Sample) -> f64,
    ) -> Option<f64> {
        let samples = |server: Server| {
            let of = |cell: &&Cell| cell.route == route && cell.server == server;
            self.cells.iter().find(of).map(|cell| &cell.samples)
        };
        let (ours, nginx) = (samples(Server::Innkeeper)?, samples(Server::Nginx)?);
        let pairs = ours.iter().zip(nginx);
        median(pairs.map(|(ours, nginx)| compare(ours, nginx)).collect())
    }

    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let json = serde_json::to_string_pretty(&self.rows())?;
        std::fs::write(file, json + "\n").with_context(|| format!("writing {}", file.display()))
    }
}

impl Cell {
    fn row(&self) -> Row {
        let of = |pick: fn(&Sample) -> f64| {
            let middle = median(self.samples.iter().map(pick).collect())?;
            Some((middle * 1000.0).round() / 1000.0)
        };
        Row {
            route: self.route.clone(),
            server: self.server.name(),
            bytes: self.bytes,
            per_s: of(|sample| sample.per_s.round()),
            p99_ms: of(|sample| sample.p99_ms),
            cpu_us: of(|sample| sample.cpu_us),
            instructions: self.instructions,
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
    fn servers_are_compared_window_by_window() {
        let sample = |per_s| Sample {
            per_s,
            p99_ms: 1.0,
            cpu_us: 1.0,
        };
        let cell = |server, rates: [f64; 3]| Cell {
            route: "list".to_owned(),
            bytes: 0,
            server,
            samples: rates.map(sample).to_vec(),
            instructions: None,
        };
        let results = Results {
            cells: vec![
                cell(Server::Nginx, [100.0, 10.0, 1000.0]),
                cell(Server::Innkeeper, [110.0, 12.0, 900.0]),
            ],
            ..Results::default()
        };
        let ratio = results.compared("list", |ours, nginx| ours.per_s / nginx.per_s);
        assert_eq!(ratio, Some(1.1));
    }

    #[test]
    fn a_round_in_which_a_server_answered_nothing_is_discarded_for_both_and_counted() {
        let case = Case::named("list");
        let sample = |per_s| {
            Some(Sample {
                per_s,
                p99_ms: 1.0,
                cpu_us: 1.0,
            })
        };
        let mut results = Results::default();
        results.add_round(
            &case,
            &[(Server::Nginx, sample(50.0)), (Server::Innkeeper, None)],
        );
        assert!(!results.has_samples(&case));
        results.add_round(
            &case,
            &[
                (Server::Nginx, sample(100.0)),
                (Server::Innkeeper, sample(120.0)),
            ],
        );
        assert!(results.has_samples(&case));
        assert_eq!(results.discarded, 1);
        let ratio = results.compared("list", |ours, nginx| ours.per_s / nginx.per_s);
        assert_eq!(ratio, Some(1.2));
    }

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middles() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
