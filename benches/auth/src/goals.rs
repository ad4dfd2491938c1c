//! What is to be reached.

use crate::results::{IDLE, Results, START};
use crate::scenario::Scenario;
use crate::server::{Algorithm, Subject};
use crate::trips::Trips;

struct Goal {
    name: &'static str,
    unit: &'static str,
    most: f64,
    measured: Option<f64>,
}

/// Prints which goals are met; false if one is missed.
pub(crate) fn check(results: &Results, trips: &[Trips]) -> bool {
    println!("\ngoals");
    let mut all_met = true;
    for goal in goals(results, trips) {
        let Goal {
            name, unit, most, ..
        } = goal;
        match goal.measured {
            None => println!("  not measured  {name}"),
            Some(value) if value <= most => {
                println!("  met           {name}: {value:.3} of at most {most} {unit}");
            }
            Some(value) => {
                println!("  MISSED        {name}: {value:.3}, at most {most} {unit}");
                all_met = false;
            }
        }
    }
    all_met
}

fn goals(results: &Results, trips: &[Trips]) -> Vec<Goal> {
    let ours = |scenario: &str| results.ours(scenario, Algorithm::Es256);
    let cpu = |scenario: Scenario| ours(scenario.name())?.cpu_ms;
    let count = |scenario: Scenario| {
        let is_it =
            |trips: &&Trips| trips.scenario == scenario && trips.subject == Subject::Innkeeper;
        let count = trips.iter().find(is_it)?.count;
        u32::try_from(count).ok().map(f64::from)
    };
    let goal = |name, unit, most, measured| Goal {
        name,
        unit,
        most,
        measured,
    };
    let mib = |kb: f64| kb / 1024.0;
    let peak = results.our_peak_kb().and_then(|kb| u32::try_from(kb).ok());
    let during = ours(Scenario::UserDuringSignIns.name());
    vec![
        goal("GET /user, round trips", "", 1.0, count(Scenario::User)),
        goal("GET /user, CPU", "ms", 0.10, cpu(Scenario::User)),
        goal("refresh, round trips", "", 2.0, count(Scenario::Refresh)),
        goal(
            "refresh with ES256, CPU",
            "ms",
            0.35,
            cpu(Scenario::Refresh),
        ),
        goal("password sign-in, CPU", "ms", 35.0, cpu(Scenario::SignIn)),
        goal(
            "GET /user during sign-ins, p99",
            "ms",
            20.0,
            during.and_then(|row| row.p99_ms),
        ),
        goal(
            "memory, idle",
            "MiB",
            30.0,
            ours(IDLE).and_then(|row| row.rss_kb).map(mib),
        ),
        goal(
            "memory, most under load",
            "MiB",
            60.0,
            peak.map(f64::from).map(mib),
        ),
        goal(
            "start to first answer",
            "ms",
            150.0,
            ours(START).and_then(|row| row.p50_ms),
        ),
    ]
}
