//! A database, as both servers look at theirs.

use innkeeper_service::database::Examination;
use jiff::SignedDuration;

use super::findings::Findings;

/// Tokens and codes are judged by the clock.
const FAR_APART: SignedDuration = SignedDuration::from_secs(2);

pub(super) fn judge(
    findings: &mut Findings,
    part: &'static str,
    (database, missing): (Examination, Vec<&'static str>),
) {
    let version = &database.version;
    if database.is_read_only {
        findings.wrong(
            part,
            format!("the database (PostgreSQL {version}) takes no changes"),
            "name the primary in DATABASE_URL, or all hosts with \
             target_session_attrs=read-write",
        );
    } else {
        findings.ok(part, format!("the database answers: PostgreSQL {version}"));
    }
    let Examination {
        used_connections: used,
        max_connections: most,
        ..
    } = database;
    if used.saturating_mul(10) > most.saturating_mul(9) {
        findings.warn(
            part,
            format!("{used} of the database's {most} connections are taken"),
            "raise max_connections of PostgreSQL, or lower DB_MAX_POOL_SIZE",
        );
    }
    let ahead = database.clock_ahead;
    if ahead.abs() > FAR_APART {
        findings.warn(
            part,
            format!("the database's clock differs from this one by {ahead:#}"),
            "let both machines take the time from the network (NTP)",
        );
    }
    match missing.len() {
        0 => findings.ok(part, "the schema is up to date"),
        number => findings.warn(
            part,
            format!(
                "the schema lacks {number} migrations, from {} on",
                missing.first().unwrap_or(&"")
            ),
            &format!("`innkeeper {part} migrate`; `innkeeper {part} serve` does it when it starts"),
        ),
    }
}
