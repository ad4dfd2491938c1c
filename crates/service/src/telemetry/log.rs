//! Logs: lines of JSON for machines, plain lines on a terminal, times in UTC.
//!
//! What is logged is chosen where it is logged; this module keeps out what libraries would add. At
//! their finer levels they write statements, headers and whole messages, so they stay at warnings
//! whatever the level is.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use tracing::level_filters::LevelFilter;
use tracing::{Dispatch, Level};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

/// Libraries that tell too much.
const QUIET: [&str; 12] = [
    "deadpool",
    "deadpool_postgres",
    "h2",
    "hyper",
    "hyper_util",
    "lettre",
    "reqwest",
    "rustls",
    "rustls_platform_verifier",
    "tokio_postgres",
    "tokio_rustls",
    "tower",
];

/// How much is logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// The same as error; there is nothing rarer.
    Panic,
    /// The same as error.
    Fatal,
    /// What failed.
    Error,
    /// What an operator should look at, too.
    Warn,
    /// What happened, too.
    #[default]
    Info,
    /// What a developer wants to know, too.
    Debug,
    /// Everything.
    Trace,
}

/// The text names no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected one of panic, fatal, error, warn, info, debug, trace")]
pub struct UnknownLevel;

impl FromStr for LogLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        match text.to_ascii_lowercase().as_str() {
            "panic" => Ok(Self::Panic),
            "fatal" => Ok(Self::Fatal),
            "error" => Ok(Self::Error),
            "warn" | "warning" => Ok(Self::Warn),
            "info" => Ok(Self::Info),
            "debug" => Ok(Self::Debug),
            "trace" => Ok(Self::Trace),
            _ => Err(UnknownLevel),
        }
    }
}

impl LogLevel {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Panic | Self::Fatal | Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// How a line looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON everywhere else.
    #[default]
    Auto,
    /// A line of JSON.
    Json,
    /// A line for people.
    Text,
}

/// What is logged, where and how.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// How much.
    pub level: LogLevel,
    /// Appended to instead of standard error.
    pub file: Option<PathBuf>,
    /// How a line looks.
    pub format: LogFormat,
}

/// Logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be written.
    #[error("cannot write the log file `{}`: {cause}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// This process logs already.
    #[error("logging has been set up already")]
    AlreadySetUp,
}

/// Keeps logging until the end of the program; then it sees that the file has everything.
#[derive(Debug)]
#[must_use = "logging ends with this value"]
pub struct LogGuard {
    file: Option<Arc<File>>,
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Nobody is left to tell.
            file.sync_all().ok();
        }
    }
}

/// Sets up logging for the whole process.
pub fn init_logging(options: &LogOptions) -> Result<LogGuard, LogError> {
    let file = options.file.as_ref().map(open).transpose()?;
    let dispatch = match &file {
        Some(file) => dispatch(
            options.level,
            options.format != LogFormat::Text,
            Arc::clone(file),
        ),
        None => dispatch(
            options.level,
            is_json(options.format, io::stderr().is_terminal()),
            io::stderr,
        ),
    };
    tracing::dispatcher::set_global_default(dispatch).map_err(|_| LogError::AlreadySetUp)?;
    Ok(LogGuard { file })
}

fn open(path: &PathBuf) -> Result<Arc<File>, LogError> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map(Arc::new)
        .map_err(|cause| LogError::File {
            path: path.clone(),
            cause,
        })
}

fn is_json(format: LogFormat, is_terminal: bool) -> bool {
    match format {
        LogFormat::Auto => !is_terminal,
        LogFormat::Json => true,
        LogFormat::Text => false,
    }
}

/// Where events go. A line is written in one piece, so lines of threads do not mix.
fn dispatch<W>(level: LogLevel, json: bool, writer: W) -> Dispatch
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let level = level.filter();
    let quiet = QUIET.map(|library| (library, level.min(LevelFilter::from_level(Level::WARN))));
    let targets = Targets::new().with_default(level).with_targets(quiet);
    let lines = fmt::layer().with_ansi(false).with_writer(writer);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = if json {
        Box::new(
            lines
                .json()
                .flatten_event(true)
                .with_current_span(true)
                .with_span_list(false)
                .with_filter(targets),
        )
    } else {
        Box::new(lines.with_filter(targets))
    };
    Dispatch::new(tracing_subscriber::registry().with(layer))
}

#[cfg(test)]
mod tests {
    use super::{LogError, LogFormat, LogLevel, LogOptions, dispatch, init_logging, is_json, open};
    use std::fs;
    use tracing::dispatcher::with_default;

    /// What these events leave in a file.
    fn logged(level: LogLevel, json: bool, events: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = open(&path).unwrap();
        with_default(&dispatch(level, json, file), events);
        fs::read_to_string(path).unwrap()
    }

    fn one_of_each() {
        tracing::error!("an error");
        tracing::warn!("a warning");
        tracing::info!("a message");
        tracing::debug!("a detail");
        tracing::trace!("a trifle");
    }

    #[test]
    fn a_level_includes_the_rarer_ones() {
        for (name, lines) in [
            ("panic", 1),
            ("fatal", 1),
            ("ERROR", 1),
            ("warn", 2),
            ("warning", 2),
            ("info", 3),
            ("debug", 4),
            ("Trace", 5),
        ] {
            let text = logged(name.parse().unwrap(), true, one_of_each);
            assert_eq!(text.lines().count(), lines, "{name}");
        }
        for name in ["", "all", "0", "infos"] {
            assert!(name.parse::<LogLevel>().is_err());
        }
    }

    #[test]
    fn json_lines_carry_time_level_fields_and_the_span() {
        let text = logged(LogLevel::Info, true, || {
            let _request = tracing::info_span!("request", request_id = "r1").entered();
            tracing::info!(status = 200, "answered \"ada\"");
        });
        let line: &str = text.lines().next().unwrap();
        assert!(
            line.starts_with("{\"timestamp\":\"20") && line.ends_with('}'),
            "{line}"
        );
        for part in [
            "Z\",\"level\":\"INFO\"",
            "\"message\":\"answered \\\"ada\\\"\"",
            "\"status\":200",
            "\"request_id\":\"r1\"",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
    }

    #[test]
    fn text_lines_are_readable_and_have_no_escape_sequences() {
        let text = logged(LogLevel::Info, false, || {
            tracing::info!(port = 8081, "listening");
        });
        assert!(
            text.contains("INFO") && text.ends_with("listening port=8081\n"),
            "{text}"
        );
        assert!(text.split_whitespace().next().unwrap().ends_with('Z'));
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn libraries_stay_at_warnings_at_every_level() {
        let text = logged(LogLevel::Trace, true, || {
            tracing::trace!(target: "hyper::proto", "bytes");
            tracing::debug!(target: "tokio_postgres::query", "select password");
            tracing::info!(target: "rustls", "handshake");
            tracing::debug!(target: "lettre::transport", "mail body");
            tracing::warn!(target: "hyper", "closed");
        });
        assert_eq!(text.lines().count(), 1);
        let text = logged(LogLevel::Error, true, || {
            tracing::warn!(target: "hyper", "closed");
            tracing::error!(target: "hyper", "broken");
        });
        assert_eq!(text.lines().count(), 1);
    }

    #[test]
    fn the_format_follows_the_terminal_unless_told() {
        assert!(is_json(LogFormat::Auto, false) && !is_json(LogFormat::Auto, true));
        assert!(is_json(LogFormat::Json, true) && !is_json(LogFormat::Text, false));
    }

    #[test]
    fn a_file_is_appended_to_and_a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.log");
        fs::write(&path, "before\n").unwrap();
        let options = LogOptions {
            file: Some(path.clone()),
            ..LogOptions::default()
        };
        let guard = init_logging(&options).unwrap();
        tracing::info!(target: "telemetry_test", "started");
        assert!(matches!(
            init_logging(&options),
            Err(LogError::AlreadySetUp)
        ));
        drop(guard);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("before\n{") && text.contains("\"started\""),
            "{text}"
        );

        let missing = LogOptions {
            file: Some(folder.path().join("none/server.log")),
            ..LogOptions::default()
        };
        let error = init_logging(&missing).unwrap_err().to_string();
        assert!(error.contains("none/server.log"), "{error}");
    }
}
