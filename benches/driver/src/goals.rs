//! The performance goals, and whether a run meets them.

use crate::cases::{Case, Variant};
use crate::results::Results;
use crate::server::Server;

/// Prints which goals are met; returns false if one is missed.
pub(crate) fn check(results: &Results, cases: &[Case]) -> bool {
    println!("\ngoals");
    let goals = [
        at_most_hyper(results, cases),
        axum(results, cases, "without extra headers", 1.40, |variant| {
            variant != Variant::Headers
        }),
        axum(results, cases, "with ten extra headers", 1.25, |variant| {
            variant == Variant::Headers
        }),
        below_actix(results, cases),
    ];
    goals.into_iter().all(|holds| holds)
}

fn at_most_hyper(results: &Results, cases: &[Case]) -> bool {
    let name = "innkeeper / hyper at most 1.10 everywhere";
    judge(
        name,
        ratios(results, cases, Server::Innkeeper, Server::Hyper),
        |ratio| ratio <= 1.10,
    )
}

fn axum(
    results: &Results,
    cases: &[Case],
    which: &str,
    least: f64,
    counts: fn(Variant) -> bool,
) -> bool {
    let cases = cases.iter().filter(|case| counts(case.variant));
    let name = format!("axum / innkeeper at least {least:.2} {which}");
    judge(
        &name,
        ratios(results, cases, Server::Axum, Server::Innkeeper),
        |ratio| ratio >= least,
    )
}

fn below_actix(results: &Results, cases: &[Case]) -> bool {
    let name = "actix / innkeeper above 1 everywhere";
    judge(
        name,
        ratios(results, cases, Server::Actix, Server::Innkeeper),
        |ratio| ratio > 1.0,
    )
}

fn ratios<'a>(
    results: &Results,
    cases: impl IntoIterator<Item = &'a Case>,
    upper: Server,
    lower: Server,
) -> Vec<(&'a str, f64)> {
    let ratio = |case: &'a Case| Some((&*case.name, ratio(results, &case.name, upper, lower)?));
    cases.into_iter().filter_map(ratio).collect()
}

/// Returns the instructions of one server divided by those of another.
pub(crate) fn ratio(results: &Results, route: &str, upper: Server, lower: Server) -> Option<f64> {
    let count = |server| {
        u32::try_from(results.instructions(route, server)?)
            .ok()
            .map(f64::from)
    };
    Some(count(upper)? / count(lower)?)
}

fn judge(name: &str, ratios: Vec<(&str, f64)>, holds: impl Fn(f64) -> bool) -> bool {
    if ratios.is_empty() {
        println!("  not measured  {name}");
        return true;
    }
    let missed: Vec<_> = ratios
        .into_iter()
        .filter(|&(_, ratio)| !holds(ratio))
        .collect();
    if missed.is_empty() {
        println!("  holds         {name}");
        return true;
    }
    let missed: Vec<_> = missed
        .into_iter()
        .map(|(route, ratio)| format!("{route} {ratio:.3}"))
        .collect();
    println!("  MISSED        {name}: {}", missed.join(", "));
    false
}
