//! The log: lines of JSON, or plain text on a terminal, with times in UTC.
//!
//! Libraries log SQL statements, headers and whole messages at their finer levels, so their level is
//! never finer than `warn`.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

use rustix::fs::{Access, access};
use tracing::level_filters::LevelFilter;
use tracing::{Dispatch, Level};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, Registry};

/// Libraries that never log below `warn`. [`OPENTELEMETRY`] is another one, unless it is debugged.
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

/// The prefix of all OpenTelemetry crates.
const OPENTELEMETRY: &str = "opentelemetry";

/// The least severe level that is logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Only panics, which are not part of the log: the process prints them to standard error.
    Panic,
    /// Only panics and errors that end the process, which it prints to standard error too.
    Fatal,
    /// Failures.
    Error,
    /// Events that need an operator's attention.
    Warn,
    /// Normal events.
    #[default]
    Info,
    /// Details for developers.
    Debug,
    /// All details.
    Trace,
}

/// The error for text that is not the name of a level.
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
            Self::Panic | Self::Fatal => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// The format of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON everywhere else.
    #[default]
    Auto,
    /// One JSON object per line.
    Json,
    /// Plain text.
    Text,
}

/// The options of the log.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// The least severe level that is logged.
    pub level: LogLevel,
    /// The file to append to; `None` logs to standard error.
    pub file: Option<PathBuf>,
    /// The format.
    pub format: LogFormat,
    /// Whether to log the details of the OpenTelemetry libraries, whatever the level is.
    pub debug_telemetry: bool,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be written.
    #[error("cannot write the log file `{}`: {cause}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// Logging was set up before.
    #[error("logging has been set up already")]
    AlreadySetUp,
}

/// Flushes the log file when it is dropped at the end of the program.
#[derive(Debug)]
#[must_use = "logging ends with this value"]
pub struct LogGuard {
    file: Option<Arc<LogFile>>,
}

impl LogGuard {
    /// Returns a handle that reopens the log file after it was moved.
    pub fn reopener(&self) -> LogReopener {
        LogReopener(self.file.clone())
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // There is nowhere left to report an error.
            file.current().sync_all().ok();
        }
    }
}

/// Reopens the log file. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct LogReopener(Option<Arc<LogFile>>);

impl LogReopener {
    /// Reopens the file at its path, so that a file that was moved away is released. No line is lost: lines
    /// go to the old file until the new one is open, and still do if it cannot be opened.
    pub fn reopen(&self) -> Result<(), LogError> {
        match &self.0 {
            Some(file) => file.reopen(),
            None => Ok(()),
        }
    }
}

/// The log file, which can be reopened.
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

/// Creates a [`LineWriter`] for each line.
#[derive(Debug, Clone)]
struct MakeLineWriter(Arc<LogFile>);

impl<'w> MakeWriter<'w> for MakeLineWriter {
    type Writer = LineWriter;

    fn make_writer(&'w self) -> LineWriter {
        LineWriter(self.0.current())
    }
}

/// Writes one line to the file that was current when the line began.
struct LineWriter(Arc<File>);

impl io::Write for LineWriter {
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
            MakeLineWriter(Arc::clone(file)),
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

/// Checks that the log file of the options can be written, and creates none.
pub fn check_log_file(options: &LogOptions) -> Result<(), LogError> {
    let Some(path) = &options.file else {
        return Ok(());
    };
    let checked = match OpenOptions::new().append(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = path.parent().filter(|parent| *parent != Path::new(""));
            access(parent.unwrap_or(Path::new(".")), Access::WRITE_OK).map_err(io::Error::from)
        }
        opened => opened.map(drop),
    };
    checked.map_err(|cause| LogError::File {
        path: path.clone(),
        cause,
    })
}

/// Opens a log file. A new one can be read by its owner only, because it has addresses of users.
fn append_to(path: &Path) -> Result<File, LogError> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
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

/// Returns the dispatch that formats and writes events. Each line is written in one piece, so lines of
/// different threads do not mix.
fn dispatch<W>(options: &LogOptions, json: bool, writer: W) -> Dispatch
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let level = options.level.filter();
    let library_level = level.min(LevelFilter::from_level(Level::WARN));
    let telemetry_level = if options.debug_telemetry {
        LevelFilter::DEBUG
    } else {
        library_level
    };
    let targets = Targets::new()
        .with_default(level)
        .with_targets(QUIET.map(|library| (library, library_level)))
        .with_target(OPENTELEMETRY, telemetry_level);
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
        LogError, LogFile, LogFormat, LogLevel, LogOptions, MakeLineWriter, check_log_file,
        dispatch, init_logging, is_json,
    };
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
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
        let file = MakeLineWriter(Arc::new(LogFile::open(&path).unwrap()));
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
            ("panic", 0),
            ("fatal", 0),
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
    fn not_even_libraries_log_errors_at_the_levels_above() {
        for level in [LogLevel::Panic, LogLevel::Fatal] {
            let text = logged(level, true, || {
                tracing::error!(target: "hyper", "broken");
                tracing::error!(target: "opentelemetry_sdk", "collector away");
            });
            assert_eq!(text, "", "{level:?}");
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
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "nobody else reads it");
        let lines = MakeLineWriter(Arc::clone(&file));
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
        // A check says the same, and leaves no file.
        assert_eq!(check_log_file(&missing).unwrap_err().to_string(), error);
        let new = folder.path().join("new.log");
        for file in [None, Some(path), Some(new.clone())] {
            let options = LogOptions {
                file,
                ..LogOptions::default()
            };
            check_log_file(&options).unwrap();
        }
        assert!(!new.exists());
    }
}
