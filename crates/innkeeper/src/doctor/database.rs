//! Checks the database of a server.

use innkeeper_service::database::ServerInfo;
use jiff::SignedDuration;

use super::findings::Findings;

/// The largest difference between two clocks that is not reported. Tokens and codes expire by the clock.
const MAX_CLOCK_DIFFERENCE: SignedDuration = SignedDuration::from_secs(2);

/// Checks a database and the migrations that its schema is missing.
pub(super) fn check(
    findings: &mut Findings,
    part: &'static str,
    database: &ServerInfo,
    missing: &[&'static str],
) {
    let version = &database.version;
    if database.is_read_only {
        findings.problem(
            part,
            format!("the database (PostgreSQL {version}) is read-only"),
            "name the primary in DATABASE_URL, or all hosts with \
             target_session_attrs=read-write",
        );
    } else {
        findings.ok(part, format!("the database responds: PostgreSQL {version}"));
    }
    let (used, most) = (database.used_connections, database.max_connections);
    if used.saturating_mul(10) > most.saturating_mul(9) {
        findings.warn(
            part,
            format!("{used} of the database's {most} connections are in use"),
            "raise max_connections of PostgreSQL, or lower DB_MAX_POOL_SIZE",
        );
    }
    let ahead = database.clock_ahead;
    if ahead.abs() > MAX_CLOCK_DIFFERENCE {
        findings.warn(
            part,
            format!("the database's clock differs from this machine's by {ahead:#}"),
            "synchronise the clocks of both machines with NTP",
        );
    }
    match missing.len() {
        0 => findings.ok(part, "the schema is up to date"),
        number => findings.warn(
            part,
            format!(
                "the schema is missing {number} migrations, the first is {}",
                missing.first().unwrap_or(&"")
            ),
            &format!("run `innkeeper {part} migrate`, or start `innkeeper {part} serve`"),
        ),
    }
}
