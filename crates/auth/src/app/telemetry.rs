//! Metrics of the server, and the logging, tracing and counting of requests.
//!
//! The metrics have GoTrue's names, so that existing dashboards keep working.
//! docs/operations/monitoring.md explains each.

use std::sync::{Arc, Weak};

use http::HeaderName;
use innkeeper_service::telemetry::{Label, Metrics, Observe};

use crate::app::App;
use crate::base::error_code::ErrorCode;
use crate::crypto::password::QueueCounts;
use crate::outside::outbox::MessageCounts;

/// The response header that holds the code of an error.
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");

/// Returns the filter that logs, traces and counts requests.
pub(crate) fn observe(app: &App) -> Observe {
    Observe::new(&app.telemetry)
        .not_logging("/health")
        .logging_parameter("grant_type")
        .error_code_in(ERROR_CODE)
        .counting(
            ErrorCode::OverEmailSendRateLimit.as_str(),
            app.counters.mail_limited.clone(),
        )
        .counting(
            ErrorCode::OverSmsSendRateLimit.as_str(),
            app.counters.sms_limited.clone(),
        )
}

/// Registers the metrics that are read when they are collected. They hold weak references, so that they
/// do not keep the server alive.
pub(crate) fn register(app: &Arc<App>) {
    let metrics = app.telemetry.metrics();
    if !metrics.is_on() {
        return;
    }
    metrics.gauge("gotrue_running", "1 while the server runs.", |take| {
        take(1.0, &[]);
    });
    register_version(metrics);
    register_hashes(metrics, app);
    register_mail(metrics, app);
    register_sms(metrics, app);
    register_database(metrics, app);
}

fn register_version(metrics: &Metrics) {
    let (numbers, candidate) = crate::base::VERSION
        .split_once('-')
        .unwrap_or((crate::base::VERSION, ""));
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
        metrics.gauge(
            name,
            "One part of the server's version number.",
            move |take| {
                take(number, &[]);
            },
        );
    }
}

fn register_hashes(metrics: &Metrics, app: &Arc<App>) {
    type Read = fn(&App) -> QueueCounts;
    let hashes: Read = |app| app.hashes.job_counts().hashes;
    let checks: Read = |app| app.hashes.job_counts().checks;
    let submitted: fn(QueueCounts) -> u64 = |counts| counts.submitted;
    let completed: fn(QueueCounts) -> u64 = |counts| counts.completed;
    for (name, doc, read, part) in [
        (
            "gotrue_generate_from_password_submitted",
            "Passwords submitted to be hashed.",
            hashes,
            submitted,
        ),
        (
            "gotrue_generate_from_password_completed",
            "Passwords hashed.",
            hashes,
            completed,
        ),
        (
            "gotrue_compare_hash_and_password_submitted",
            "Passwords submitted to be compared with a hash.",
            checks,
            submitted,
        ),
        (
            "gotrue_compare_hash_and_password_completed",
            "Passwords compared with a hash.",
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

fn register_mail(metrics: &Metrics, app: &Arc<App>) {
    let counts = app.mailer.counts();
    metrics.total(
        "global_auth_email_send_operations_total",
        "Mails that the mail server accepted, by kind.",
        move |take| {
            for (kind, number) in counts.sent() {
                let kind = Label::new("type", kind.to_ascii_lowercase());
                take(float(number), &[kind]);
            }
        },
    );
    let counts: Arc<MessageCounts> = app.mailer.counts();
    metrics.total(
        "global_auth_email_send_errors_total",
        "Failed attempts to send a mail.",
        move |take| take(float(counts.failed()), &[]),
    );
    let app = Arc::downgrade(app);
    metrics.gauge(
        "auth_mails_waiting",
        "Mails waiting to be sent.",
        move |take| {
            if let Some(app) = app.upgrade() {
                take(float(app.mailer.waiting()), &[]);
            }
        },
    );
}

fn register_sms(metrics: &Metrics, app: &Arc<App>) {
    let counts = Arc::clone(app.sms.counts());
    metrics.total(
        "auth_sms_send_operations_total",
        "Text messages that the provider accepted, by kind.",
        move |take| {
            for (kind, number) in counts.sent() {
                take(float(number), &[Label::new("type", kind)]);
            }
        },
    );
    let counts = Arc::clone(app.sms.counts());
    metrics.total(
        "auth_sms_send_errors_total",
        "Failed attempts to send a text message.",
        move |take| take(float(counts.failed()), &[]),
    );
    let counts = Arc::clone(app.sms.counts());
    metrics.gauge(
        "auth_sms_waiting",
        "Text messages waiting to be sent.",
        move |take| take(float(counts.waiting()), &[]),
    );
}

fn register_database(metrics: &Metrics, app: &Arc<App>) {
    let usage = |app: &Weak<App>| Some(app.upgrade()?.database.usage());
    let of = Arc::downgrade(app);
    metrics.gauge(
        "db_client_connections",
        "Connections in the pool, by state.",
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
        "The maximum number of connections in the pool; 0 means no limit.",
        move |take| {
            if let Some(usage) = usage(&of) {
                take(float(usage.limit as u64), &[]);
            }
        },
    );
    let of = Arc::downgrade(app);
    metrics.gauge(
        "db_client_connections_pending_requests",
        "Requests waiting for a connection.",
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
