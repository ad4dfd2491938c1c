//! Tables of the results, and the performance goals.

use crate::results::Results;
use crate::server::Server;

/// The goals for throughput relative to nginx's, of the article and of every 304.
const ARTICLE: f64 = 0.9;
const UNCHANGED: f64 = 1.0;

const HEAD: [&str; 10] = [
    "route",
    "server",
    "bytes",
    "requests/s",
    "p99 ms",
    "CPU us",
    "instructions",
    "requests/s, ours / nginx",
    "CPU, nginx / ours",
    "instructions, nginx / ours",
];

pub(crate) fn table(results: &Results) {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for row in results.rows() {
        let ours = row.server == Server::Innkeeper.name();
        let shown =
            |ratio: Option<f64>| or_dash(ratio.filter(|_| ours).map(|ratio| format!("{ratio:.2}")));
        rows.push([
            row.route.clone(),
            row.server.to_owned(),
            row.bytes.to_string(),
            or_dash(row.per_s.map(|per_s| format!("{per_s:.0}"))),
            or_dash(row.p99_ms.map(|ms| format!("{ms:.2}"))),
            or_dash(row.cpu_us.map(|us| format!("{us:.2}"))),
            or_dash(row.instructions.map(|count| count.to_string())),
            shown(throughput(results, &row.route)),
            shown(results.compared(&row.route, |ours, nginx| nginx.cpu_us / ours.cpu_us)),
            shown(instructions(results, &row.route)),
        ]);
    }
    print(&rows);
}

fn print(rows: &[[String; 10]]) {
    println!();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(String::len).max().unwrap_or_default()
    };
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            // Names are aligned left, numbers right.
            let shown = if column < 2 {
                format!("{cell:<width$}  ")
            } else {
                format!("{cell:>width$}  ")
            };
            line += &shown;
        }
        println!("{}", line.trim_end());
    }
}

/// Returns our throughput relative to nginx's.
fn throughput(results: &Results, route: &str) -> Option<f64> {
    results.compared(route, |ours, nginx| ours.per_s / nginx.per_s)
}

/// Returns nginx's instructions relative to ours.
fn instructions(results: &Results, route: &str) -> Option<f64> {
    let count = |server| {
        let row = results.row(route, server)?;
        u32::try_from(row.instructions?).ok().map(f64::from)
    };
    Some(count(Server::Nginx)? / count(Server::Innkeeper)?)
}

/// Prints which goals are met; returns false if one is missed.
pub(crate) fn goals(results: &Results) -> bool {
    println!("\ngoals");
    let mut met = true;
    for row in results.rows() {
        let least = match &*row.route {
            "article" | "article+gzip" | "short article" => ARTICLE,
            route if route.ends_with("+304") => UNCHANGED,
            _ => continue,
        };
        let ratio = throughput(results, &row.route);
        let Some(ratio) = ratio.filter(|_| row.server == Server::Innkeeper.name()) else {
            continue;
        };
        let (word, holds) = judged(ratio >= least);
        println!(
            "  {word}  {}: {ratio:.2} of nginx, at least {least}",
            row.route
        );
        met &= holds;
    }
    for figure in &results.figures {
        let (name, value, unit) = (figure.name, figure.value, figure.unit);
        match figure.most {
            None => println!("          {name}: {value:.2} {unit}"),
            Some(most) => {
                let (word, holds) = judged(value <= most);
                println!("  {word}  {name}: {value:.2} of at most {most} {unit}");
                met &= holds;
            }
        }
    }
    met
}

fn judged(holds: bool) -> (&'static str, bool) {
    (if holds { "met   " } else { "MISSED" }, holds)
}

fn or_dash(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".to_owned())
}
