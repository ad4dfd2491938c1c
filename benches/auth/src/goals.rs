//! The performance goals, and whether a run meets them.

use std::fmt;

use crate::factors::FactorCosts;
use crate::mail::Seen;
use crate::pooler::PoolerCost;
use crate::provider::{ProviderCosts, StepCost};
use crate::results::{IDLE, Results, START};
use crate::scenario::Scenario;
use crate::server::{Algorithm, Subject};
use crate::trips::Trips;

/// A bound, and what was measured.
pub(crate) struct Goal {
    name: &'static str,
    unit: &'static str,
    bound: Bound,
    measured: Option<f64>,
}

#[derive(Clone, Copy)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    fn is_kept_by(self, value: f64) -> bool {
        match self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "at most {most}"),
            Self::AtLeast(least) => write!(f, "at least {least}"),
        }
    }
}

/// Returns the goal of servers behind a connection pooler.
pub(crate) fn of_poolers(poolers: &[PoolerCost]) -> Goal {
    Goal {
        name: "processor time per request behind PgBouncer / without, the worst",
        unit: "",
        bound: Bound::AtMost(1.5),
        measured: poolers.iter().map(PoolerCost::ratio).reduce(f64::max),
    }
}

/// Prints which goals are met; returns false if one is missed.
pub(crate) fn check(goals: Vec<Goal>) -> bool {
    println!("\ngoals");
    let mut all_met = true;
    for goal in goals {
        let Goal {
            name, unit, bound, ..
        } = goal;
        match goal.measured {
            None => println!("  not measured  {name}"),
            Some(value) if bound.is_kept_by(value) => {
                println!("  met           {name}: {value:.3} of {bound} {unit}");
            }
            Some(value) => {
                println!("  MISSED        {name}: {value:.3}, {bound} {unit}");
                all_met = false;
            }
        }
    }
    all_met
}

/// Returns the goals of the mail benchmark.
pub(crate) fn of_mail(mail: Option<&Seen>) -> Vec<Goal> {
    let user = mail.and_then(|mail| {
        let mut others = mail.others.iter();
        others.find(|others| others.scenario == Scenario::User)
    });
    vec![
        Goal {
            name: "sign-ups with a mail / without",
            unit: "",
            bound: Bound::AtLeast(0.9),
            measured: mail.map(|mail| mail.sign_ups.1 / mail.sign_ups.0),
        },
        Goal {
            name: "GET /user, p99, silent mail server / working",
            unit: "",
            bound: Bound::AtMost(1.25),
            measured: user.map(|user| user.silent.p99_ms / user.working.p99_ms),
        },
        Goal {
            name: "waiting mails delivered",
            unit: "a minute",
            bound: Bound::AtLeast(10_000.0),
            measured: mail.map(|mail| mail.per_minute),
        },
    ]
}

/// Returns the goals of sign-ins with external providers.
pub(crate) fn of_providers(costs: Option<&ProviderCosts>) -> Vec<Goal> {
    let most = |of| costs.and_then(|costs| most(&costs.steps, of));
    vec![
        Goal {
            name: "sign-in with a provider, round trips of a step",
            unit: "",
            bound: Bound::AtMost(3.0),
            measured: most(trips_of),
        },
        Goal {
            name: "sign-in with a provider and ES256, CPU of a step",
            unit: "ms",
            bound: Bound::AtMost(0.6),
            measured: most(|step| step.cpu_ms),
        },
        Goal {
            name: "GET /user, p99, 1,000 waiting for a provider / none",
            unit: "",
            bound: Bound::AtMost(4.0 / 3.0),
            measured: costs.map(|costs| costs.user_p99_ms.1 / costs.user_p99_ms.0),
        },
    ]
}

/// Returns the goals of second factors and passkeys.
pub(crate) fn of_factors(costs: Option<&FactorCosts>) -> Vec<Goal> {
    vec![
        Goal {
            name: "second factors and passkeys, round trips of a request",
            unit: "",
            bound: Bound::AtMost(3.0),
            measured: costs.and_then(|costs| most(&costs.steps, trips_of)),
        },
        Goal {
            name: "second factors and passkeys with ES256, CPU besides the signature check",
            unit: "ms",
            bound: Bound::AtMost(0.5),
            measured: costs.and_then(FactorCosts::most_cpu_ms),
        },
    ]
}

/// Returns the largest value of the steps.
fn most(steps: &[StepCost], of: fn(&StepCost) -> f64) -> Option<f64> {
    steps.iter().map(of).reduce(f64::max)
}

fn trips_of(step: &StepCost) -> f64 {
    u32::try_from(step.trips).map_or(f64::INFINITY, f64::from)
}

/// Returns the goals of the scenarios.
pub(crate) fn of_results(results: &Results, trips: &[Trips]) -> Vec<Goal> {
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
        bound: Bound::AtMost(most),
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
