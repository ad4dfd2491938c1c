//! Logs: lines of JSON for machines, plain lines on a terminal, times in UTC.
//!
//! What is logged is chosen where it is logged; this module keeps out what libraries would add. At
//! their finer levels they write statements, headers and whole messages, so they stay at warnings
//! whatever the level is.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

use tracing::level_filters::LevelFilter;
use tracing::{Dispatch, Level};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

/// Libraries that tell too much. [`OPENTELEMETRY`] is one of them, unless somebody wants to know.
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

/// Whatever the names of its parts begin with.
const OPENTELEMETRY: &str = "opentelemetry";

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
    /// Whether the library that sends traces and metrics tells everything, whatever the level is.
    pub debug_telemetry: bool,
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
    file: Option<Arc<LogFile>>,
}

impl LogGuard {
    /// What opens the log file again after somebody has moved it.
    pub fn reopener(&self) -> LogReopener {
        LogReopener(self.file.clone())
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Nobody is left to tell.
            file.current().sync_all().ok();
        }
    }
}

/// Opens the log file again. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct LogReopener(Option<Arc<LogFile>>);

impl LogReopener {
    /// Opens the file at its path again, so that one that was moved away is let go. Nothing is lost:
    /// lines go to the old file until the new one is open, and stay there if it cannot be opened.
    pub fn reopen(&self) -> Result<(), LogError> {
        match &self.0 {
            Some(file) => file.reopen(),
            None => Ok(()),
        }
    }
}

/// A file that is appended to.
#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    file: RwLock<Arc<File>>,
}

impl LogFile {
    fn open(path: &Path) -> Result<Self, LogError> {
        Ok(Self {
            file: RwLock::new(Arc::new(append_to(path)?)),
            path: path.to_owned(),
        })
    }

    fn reopen(&self) -> Result<(), LogError> {
        let file = Arc::new(append_to(&self.path)?);
        let mut current = self.file.write().unwrap_or_else(PoisonError::into_inner);
        *current = file;
        Ok(())
    }

    fn current(&self) -> Arc<File> {
        Arc::clone(&self.file.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Where lines go.
#[derive(Debug, Clone)]
struct Lines(Arc<LogFile>);

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Line;

    fn make_writer(&'w self) -> Line {
        Line(self.0.current())
    }
}

/// One line on its way to a file.
struct Line(Arc<File>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}

/// Sets up logging for the whole process.
pub fn init_logging(options: &LogOptions) -> Result<LogGuard, LogError> {
    let file = options.file.as_deref().map(LogFile::open).transpose()?;
    let file = file.map(Arc::new);
    let dispatch = match &file {
        Some(file) => dispatch(
            options,
            options.format != LogFormat::Text,
            Lines(Arc::clone(file)),
        ),
        None => dispatch(
            options,
            is_json(options.format, io::stderr().is_terminal()),
            io::stderr,
        ),
    };
    tracing::dispatcher::set_global_default(dispatch).map_err(|_| LogError::AlreadySetUp)?;
    Ok(LogGuard { file })
}

fn append_to(path: &Path) -> Result<File, LogError> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|cause| LogError::File {
            path: path.to_owned(),
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
fn dispatch<W>(options: &LogOptions, json: bool, writer: W) -> Dispatch
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let level = options.level.filter();
    let calm = level.min(LevelFilter::from_level(Level::WARN));
    let of_telemetry = if options.debug_telemetry {
        LevelFilter::DEBUG
    } else {
        calm
    };
    let targets = Targets::new()
        .with_default(level)
        .with_targets(QUIET.map(|library| (library, calm)))
        .with_target(OPENTELEMETRY, of_telemetry);
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
    use super::{
        Lines, LogError, LogFile, LogFormat, LogLevel, LogOptions, dispatch, init_logging, is_json,
    };
    use std::fs;
    use std::sync::Arc;
    use tracing::dispatcher::with_default;

    /// What these events leave in a file.
    fn logged(level: LogLevel, json: bool, events: impl FnOnce()) -> String {
        logged_by(
            &LogOptions {
                level,
                ..LogOptions::default()
            },
            json,
            events,
        )
    }

    fn logged_by(options: &LogOptions, json: bool, events: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = Lines(Arc::new(LogFile::open(&path).unwrap()));
        with_default(&dispatch(options, json, file), events);
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
    fn the_telemetry_library_tells_more_when_asked() {
        let events = || {
            tracing::debug!(target: "opentelemetry_sdk", "batch sent");
            tracing::debug!(target: "opentelemetry-otlp", "request made");
            tracing::debug!(target: "hyper", "bytes");
            tracing::warn!(target: "opentelemetry_sdk", "collector away");
        };
        let lines = |debug_telemetry| {
            let options = LogOptions {
                debug_telemetry,
                ..LogOptions::default()
            };
            logged_by(&options, true, events).lines().count()
        };
        assert_eq!((lines(false), lines(true)), (1, 3));
    }

    #[test]
    fn a_file_that_was_moved_is_let_go_when_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, old) = (folder.path().join("log"), folder.path().join("log.1"));
        let file = Arc::new(LogFile::open(&path).unwrap());
        let lines = Lines(Arc::clone(&file));
        with_default(&dispatch(&LogOptions::default(), true, lines), || {
            tracing::info!("first");
            fs::rename(&path, &old).unwrap();
            tracing::info!("second");
            file.reopen().unwrap();
            tracing::info!("third");
            fs::rename(&path, folder.path().join("log.2")).unwrap();
            fs::create_dir(&path).unwrap();
            assert!(matches!(file.reopen(), Err(LogError::File { .. })));
            tracing::info!("fourth");
        });
        let text = |name| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text("log.1").contains("first") && text("log.1").contains("second"));
        assert!(text("log.2").contains("third") && text("log.2").contains("fourth"));
        assert_eq!(
            text("log.1").lines().count() + text("log.2").lines().count(),
            4
        );
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
