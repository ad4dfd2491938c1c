//! Why a certificate or a key cannot be used.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::box_error::BoxError;

/// Why a certificate or a key cannot be used, with the file that it came from.
///
/// ```
/// use innkeeper_rest::Tls;
///
/// let error = Tls::from_files("/nowhere/cert.pem", "/nowhere/key.pem").unwrap_err();
/// assert!(error.to_string().starts_with("/nowhere/cert.pem: cannot be read: "));
/// ```
#[derive(Debug)]
pub struct TlsError {
    file: Option<PathBuf>,
    problem: String,
    source: Option<BoxError>,
}

impl TlsError {
    pub(super) fn new(file: Option<&Path>, problem: impl Into<String>) -> Self {
        Self {
            file: file.map(Path::to_owned),
            problem: problem.into(),
            source: None,
        }
    }

    pub(super) fn caused(file: Option<&Path>, problem: &str, source: impl Into<BoxError>) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::new(file, problem)
        }
    }

    /// Returns the file that cannot be used; `None` for certificates from memory.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}: ", file.display())?,
            None => f.write_str("the certificate: ")?,
        }
        f.write_str(&self.problem)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TlsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
