//! Tables of the results.

use crate::factors::FactorCosts;
use crate::mail::Seen;
use crate::pooler::PoolerCost;
use crate::provider::{ProviderCosts, StepCost};
use crate::results::{Results, Row};
use crate::server::{Algorithm, Subject};
use crate::start::Started;
use crate::trips::Trips;

/// Prints all results; the ratios compare with Innkeeper's server under ES256.
pub(crate) fn table(results: &Results, trips: &[Trips]) {
    let mut table = Table::new("medians of all rounds");
    table.head([
        "scenario",
        "server",
        "alg",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "CPU ms",
        "MiB",
        "round trips",
        "requests/s, innkeeper / it",
        "CPU, it / innkeeper",
    ]);
    for row in results.rows() {
        let ours = results.ours(row.name.scenario, Algorithm::Es256);
        let is_ours =
            row.name.subject == Subject::Innkeeper && row.name.algorithm == Some(Algorithm::Es256);
        let ratio = |pick: fn(&Row) -> Option<f64>, ours_first: bool| {
            let (ours, its) = (pick(&ours?)?, pick(&row)?);
            let ratio = if ours_first { ours / its } else { its / ours };
            (!is_ours).then(|| format!("{ratio:.2}"))
        };
        let found = trips.iter().find(|trips| {
            trips.scenario.name() == row.name.scenario && trips.subject == row.name.subject
        });
        table.row([
            Some(row.name.scenario.to_owned()),
            Some(row.name.subject.to_string()),
            row.name
                .algorithm
                .map(|algorithm| algorithm.name().to_owned()),
            row.per_s.map(rate),
            row.p50_ms.map(|ms| format!("{ms:.2}")),
            row.p99_ms.map(|ms| format!("{ms:.2}")),
            row.cpu_ms.map(|ms| format!("{ms:.3}")),
            row.rss_kb.map(|kb| format!("{:.1}", kb / 1024.0)),
            found.map(|trips| trips.count.to_string()),
            ratio(|row| row.per_s, true),
            ratio(|row| row.cpu_ms, false),
        ]);
    }
    table.print();
    println!(
        "(driver and pgbench run the statements alone, without hashing, signing and HTTP; their CPU \
         is that of the client)"
    );
}

/// Prints the times from start to first responses.
pub(crate) fn starts(starts: &[Started]) {
    for start in starts {
        println!(
            "start of {}: first 200 of /health after {:.0} ms, of /settings after {:.0} ms",
            start.subject, start.health_ms, start.settings_ms
        );
    }
}

/// Prints the cost of mail for other requests, and the delivery rate.
pub(crate) fn mail(seen: &Seen) {
    let (without, with) = seen.sign_ups;
    println!("\nmail, medians of all rounds");
    println!(
        "sign-ups/s: {} without a mail, {} with one, ratio {:.2}",
        rate(without),
        rate(with),
        with / without
    );
    let mut table = Table::new("what others wait while mails are asked for");
    table.head([
        "scenario",
        "mail server",
        "",
        "p50 ms",
        "p99 ms",
        "p99, silent / working",
    ]);
    for others in &seen.others {
        let ratio = others.silent.p99_ms / others.working.p99_ms;
        for (name, times, ratio) in [
            ("working", others.working, None),
            ("silent", others.silent, Some(format!("{ratio:.2}"))),
        ] {
            table.row([
                Some(others.scenario.name().to_owned()),
                Some(name.to_owned()),
                Some(String::new()),
                Some(format!("{:.2}", times.p50_ms)),
                Some(format!("{:.2}", times.p99_ms)),
                ratio,
            ]);
        }
    }
    table.print();
    println!("waiting mails delivered: {:.0} a minute", seen.per_minute);
}

/// Prints the cost of a connection pooler.
pub(crate) fn poolers(costs: &[PoolerCost]) {
    if costs.is_empty() {
        return;
    }
    println!("\nprocessor time of the server per request, behind PgBouncer in transaction mode");
    for cost in costs {
        println!(
            "{}: {:.3} ms without, {:.3} ms behind, ratio {:.2}",
            cost.scenario.name(),
            cost.direct_ms,
            cost.pooled_ms,
            cost.ratio()
        );
    }
}

/// Prints the cost of sign-ins with an external provider.
pub(crate) fn providers(costs: &ProviderCosts) {
    println!("\nsign-ins with an external provider, ES256");
    steps(&costs.steps);
    let (without, with) = costs.user_p99_ms;
    println!(
        "GET /user, p99: {without:.2} ms, {with:.2} ms while 1,000 sign-ins wait for a provider"
    );
}

/// Prints the cost of second factors and passkeys.
pub(crate) fn factors(costs: &FactorCosts) {
    println!("\nsecond factors and passkeys, ES256");
    steps(&costs.steps);
    println!(
        "the check of a passkey's signature alone: {:.3} ms",
        costs.check_ms
    );
}

fn steps(costs: &[StepCost]) {
    for step in costs {
        println!(
            "{}: {:.3} ms of processor time, {} round trips to the database",
            step.name, step.cpu_ms, step.trips
        );
    }
}

fn rate(per_s: f64) -> String {
    if per_s < 100.0 {
        format!("{per_s:.1}")
    } else {
        format!("{per_s:.0}")
    }
}

struct Table {
    title: &'static str,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &'static str) -> Self {
        Self {
            title,
            rows: Vec::new(),
        }
    }

    fn head<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(str::to_owned).to_vec());
    }

    fn row<const N: usize>(&mut self, cells: [Option<String>; N]) {
        let shown = cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
        self.rows.push(shown.to_vec());
    }

    fn print(&self) {
        println!("\n{}", self.title);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(String::len).max().unwrap_or_default()
        };
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = width(column);
                let shown = if column < 3 {
                    format!("{cell:<width$}  ")
                } else {
                    format!("{cell:>width$}  ")
                };
                line += &shown;
            }
            println!("{}", line.trim_end());
        }
    }
}
