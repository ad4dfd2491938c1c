//! `LOG_*`: the log.

use innkeeper_service::settings::{Kind, Reader, Setting};
use innkeeper_service::telemetry::{LogFormat, LogOptions};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "LOG_LEVEL",
        Kind::OneOf(&["panic", "fatal", "error", "warn", "info", "debug", "trace"]),
        "The least severe level that is logged. With `panic` and `fatal` that is nothing; an error that ends \
         the process is always printed to standard error.",
    )
    .bare()
    .default(&["info"]),
    Setting::new(
        "LOG_FILE",
        Kind::Path,
        "The file to log to instead of standard output.",
    ),
    Setting::new(
        "LOG_FORMAT",
        Kind::OneOf(&["text", "json"]),
        "The format of log lines.",
    )
    .default(&["text"]),
];

pub(super) fn read(reader: &mut Reader) -> LogOptions {
    let level: String = reader.get("LOG_LEVEL");
    let format: String = reader.get("LOG_FORMAT");
    LogOptions {
        level: level.parse().unwrap_or_default(),
        file: reader.optional("LOG_FILE"),
        format: match format.as_str() {
            "json" => LogFormat::Json,
            _ => LogFormat::Text,
        },
        debug_telemetry: false,
    }
}
