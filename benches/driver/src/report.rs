//! Tables of the results.

use anyhow::Result;

use crate::Plan;
use crate::goals::ratio;
use crate::load::Memory;
use crate::results::{Results, Samples, Spread};
use crate::server::Server;

pub(crate) fn instructions(results: &Results, plan: &Plan) {
    let ratios = [
        ("innkeeper/hyper", Server::Innkeeper, Server::Hyper),
        ("axum/innkeeper", Server::Axum, Server::Innkeeper),
        ("actix/innkeeper", Server::Actix, Server::Innkeeper),
    ];
    let mut table = Table::new("instructions per request");
    table
        .head
        .extend(plan.servers.iter().map(ToString::to_string));
    table
        .head
        .extend(ratios.iter().map(|(name, ..)| (*name).to_owned()));
    for case in &plan.cases {
        let mut row = vec![case.name.clone()];
        let count = |&server| results.instructions(&case.name, server).map(grouped);
        row.extend(plan.servers.iter().map(|server| or_dash(count(server))));
        row.extend(ratios.iter().map(|&(_, upper, lower)| {
            or_dash(ratio(results, &case.name, upper, lower).map(|ratio| format!("{ratio:.3}")))
        }));
        table.rows.push(row);
    }
    table.print();
}

pub(crate) fn load(results: &Results, plan: &Plan) {
    let cpu = |spread: Spread| {
        format!(
            "{:.2} ({:.2}-{:.2})",
            spread.median, spread.least, spread.most
        )
    };
    let title = "processor time per request in microseconds, median (least-most)";
    samples(title, results, plan, |cell| &cell.cpu_us, cpu);
    let per_s = |spread: Spread| {
        let thousands = |rate: f64| format!("{:.1}", rate / 1000.0);
        let [median, least, most] = [spread.median, spread.least, spread.most].map(thousands);
        format!("{median} ({least}-{most})")
    };
    let title = "thousand requests per second, median (least-most)";
    samples(title, results, plan, |cell| &cell.per_s, per_s);
}

fn samples(
    title: &'static str,
    results: &Results,
    plan: &Plan,
    pick: fn(&crate::results::Cell) -> &Samples,
    show: fn(Spread) -> String,
) {
    let mut table = Table::new(title);
    table
        .head
        .extend(plan.servers.iter().map(ToString::to_string));
    for case in &plan.cases {
        let cell = |&server| {
            results
                .get(&case.name, server)
                .and_then(|cell| pick(cell).spread())
        };
        let shown = plan
            .servers
            .iter()
            .map(|server| or_dash(cell(server).map(show)));
        table
            .rows
            .push([case.name.clone()].into_iter().chain(shown).collect());
    }
    table.print();
}

pub(crate) fn footprint(memory: &[Memory], sizes: &[(Server, u64)]) {
    let mut table = Table::new("memory and size");
    table
        .head
        .extend(["idle KiB", "after load KiB", "stripped bytes"].map(str::to_owned));
    for of in memory {
        let size = sizes.iter().find(|(server, _)| *server == of.server);
        table.rows.push(vec![
            of.server.to_string(),
            grouped(of.idle),
            grouped(of.loaded),
            or_dash(size.map(|(_, size)| grouped(*size))),
        ]);
    }
    table.print();
}

pub(crate) fn check_times(times: &[(Server, Result<Spread>)]) {
    let mut table = Table::new("cargo check of 100 routes in seconds, median (least-most)");
    table.head.push("time".to_owned());
    for (server, time) in times {
        let shown = match time {
            Ok(time) => format!("{:.2} ({:.2}-{:.2})", time.median, time.least, time.most),
            Err(error) => {
                eprintln!("{error:#}");
                "failed".to_owned()
            }
        };
        table.rows.push(vec![server.to_string(), shown]);
    }
    table.print();
}

fn or_dash(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".to_owned())
}

/// Formats 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

struct Table {
    title: &'static str,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &'static str) -> Self {
        Self {
            title,
            head: vec![String::new()],
            rows: Vec::new(),
        }
    }

    fn print(&self) {
        println!("\n{}", self.title);
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            all()
                .filter_map(|row| row.get(column))
                .map(String::len)
                .max()
        };
        for row in all() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = width(column).unwrap_or_default();
                let shown = if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("  {cell:>width$}")
                };
                line += &shown;
            }
            println!("{}", line.trim_end());
        }
    }
}
