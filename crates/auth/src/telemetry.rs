//! What this server tells about itself: its figures, and what it says about every request.
//!
//! The names are those of the server whose users switch to this one, so that their dashboards go on
//! working. docs/operations/monitoring.md explains each.

use std::sync::{Arc, Weak};

use http::HeaderName;
use innkeeper_service::telemetry::{Label, Metrics, Observe};

use crate::app::App;
use crate::error_code::ErrorCode;
use crate::mail::MailCounts;
use crate::password::Passed;

/// Where the code of an error stands in an answer.
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");

/// The filter that logs, traces and counts requests.
pub(crate) fn observe(app: &App) -> Observe {
    Observe::new(&app.telemetry)
        .not_logging("/health")
        .logging_parameter("grant_type")
        .error_code_in(ERROR_CODE)
        .counting(
            ErrorCode::OverEmailSendRateLimit.as_str(),
            app.counters.mail_limited.clone(),
        )
}

/// Offers what is counted elsewhere, or read when somebody asks. The figures do not keep the server
/// alive.
pub(crate) fn watch(app: &Arc<App>) {
    let metrics = app.telemetry.metrics();
    if !metrics.is_on() {
        return;
    }
    metrics.gauge("gotrue_running", "1 while the server runs.", |take| {
        take(1.0, &[]);
    });
    watch_version(metrics);
    watch_hashes(metrics, app);
    watch_mail(metrics, app);
    watch_database(metrics, app);
}

fn watch_version(metrics: &Metrics) {
    let (numbers, candidate) = crate::VERSION
        .split_once('-')
        .unwrap_or((crate::VERSION, ""));
    let mut numbers = numbers.split('.').map(|part| part.parse().unwrap_or(0.0));
    let (major, minor, patch) = (numbers.next(), numbers.next(), numbers.next());
    let digits = candidate.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let parts = [
        ("global_auth_version_major", major),
        ("global_auth_version_minor", minor),
        ("global_auth_version_patch", patch),
        ("global_auth_version_rc", digits.parse().ok()),
    ];
    for (name, number) in parts {
        let number: f64 = number.unwrap_or_default();
        metrics.gauge(name, "A part of the server's version.", move |take| {
            take(number, &[]);
        });
    }
}

fn watch_hashes(metrics: &Metrics, app: &Arc<App>) {
    type Read = fn(&App) -> Passed;
    let hashes: Read = |app| app.hashes.traffic().hashes;
    let checks: Read = |app| app.hashes.traffic().checks;
    let submitted: fn(Passed) -> u64 = |passed| passed.submitted;
    let completed: fn(Passed) -> u64 = |passed| passed.completed;
    for (name, doc, read, part) in [
        (
            "gotrue_generate_from_password_submitted",
            "Passwords that were to be hashed.",
            hashes,
            submitted,
        ),
        (
            "gotrue_generate_from_password_completed",
            "Passwords that were hashed.",
            hashes,
            completed,
        ),
        (
            "gotrue_compare_hash_and_password_submitted",
            "Passwords that were to be compared with a hash.",
            checks,
            submitted,
        ),
        (
            "gotrue_compare_hash_and_password_completed",
            "Passwords that were compared with a hash.",
            checks,
            completed,
        ),
    ] {
        let app = Arc::downgrade(app);
        metrics.total(name, doc, move |take| {
            if let Some(app) = app.upgrade() {
                take(float(part(read(&app))), &[]);
            }
        });
    }
}

fn watch_mail(metrics: &Metrics, app: &Arc<App>) {
    let counts = app.mailer.counts();
    metrics.total(
        "global_auth_email_send_operations_total",
        "Mails that the mail server took, by kind.",
        move |take| {
            for (kind, number) in counts.sent() {
                let kind = Label::new("type", kind.to_ascii_lowercase());
                take(float(number), &[kind]);
            }
        },
    );
    let counts: Arc<MailCounts> = app.mailer.counts();
    metrics.total(
        "global_auth_email_send_errors_total",
        "Tries to send a mail that failed.",
        move |take| take(float(counts.failed()), &[]),
    );
    let app = Arc::downgrade(app);
    metrics.gauge(
        "auth_mails_waiting",
        "Mails that wait to be sent.",
        move |take| {
            if let Some(app) = app.upgrade() {
                take(float(app.mailer.waiting()), &[]);
            }
        },
    );
}

fn watch_database(metrics: &Metrics, app: &Arc<App>) {
    let usage = |app: &Weak<App>| Some(app.upgrade()?.database.usage());
    let of = Arc::downgrade(app);
    metrics.gauge(
        "db_client_connections",
        "Connections of the pool, by state.",
        move |take| {
            if let Some(usage) = usage(&of) {
                let used = usage.open.saturating_sub(usage.idle);
                for (state, number) in [("idle", usage.idle), ("used", used)] {
                    take(float(number as u64), &[Label::new("state", state)]);
                }
            }
        },
    );
    let of = Arc::downgrade(app);
    metrics.gauge(
        "db_client_connections_max",
        "How many connections the pool may have; 0 is no limit.",
        move |take| {
            if let Some(usage) = usage(&of) {
                take(float(usage.limit as u64), &[]);
            }
        },
    );
    let of = Arc::downgrade(app);
    metrics.gauge(
        "db_client_connections_pending_requests",
        "Requests that wait for a connection.",
        move |take| {
            if let Some(usage) = usage(&of) {
                take(float(usage.waiting as u64), &[]);
            }
        },
    );
}

#[expect(clippy::cast_precision_loss, reason = "counts, far below 2^52")]
fn float(number: u64) -> f64 {
    number as f64
}
