//! Reads a database URL: what the driver knows, and what it does not.

use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::{DatabaseError, explain};

/// How long a host may take to accept a connection when the URL says nothing.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How much of a server's certificate is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    /// Any certificate will do.
    Anyone,
    /// Issued for the host by an authority of the system or of the file.
    Host(Option<PathBuf>),
    /// Issued by an authority of the file, for whatever host.
    Authority(PathBuf),
}

/// What a URL says.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) trust: Trust,
}

/// The parameters that the driver has no word for.
#[derive(Debug, Default)]
struct Extra {
    sslmode: Option<String>,
    sslrootcert: Option<PathBuf>,
    search_path: Option<String>,
}

/// Takes a URL apart. No error repeats more of it than a parameter's name.
pub(super) fn parse(url: &str, schema: &str) -> Result<Target, DatabaseError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(bad("it must start with postgres:// or postgresql://"));
    }
    let (rest, extra) = split(url)?;
    let mut config: Config = rest
        .parse()
        .map_err(|error: tokio_postgres::Error| bad(&explain(&error)))?;
    if config.get_hosts().is_empty() {
        let Some(address) = config.get_hostaddrs().first().copied() else {
            return Err(bad("it names no host"));
        };
        // Encryption needs a name to speak to.
        config.host(address.to_string());
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if let Some(path) = &extra.search_path
        && path.split(',').next() != Some(schema)
    {
        tracing::warn!(schema, "search_path in the database URL is ignored");
    }
    let trust = encryption(&mut config, extra)?;
    Ok(Target { config, trust })
}

fn encryption(config: &mut Config, extra: Extra) -> Result<Trust, DatabaseError> {
    let file = extra.sslrootcert;
    let (mode, trust) = match (extra.sslmode.as_deref().unwrap_or("prefer"), file) {
        ("disable", _) => (SslMode::Disable, Trust::Anyone),
        ("allow" | "prefer", _) => (SslMode::Prefer, Trust::Anyone),
        ("require", None) => (SslMode::Require, Trust::Anyone),
        ("require" | "verify-ca", Some(file)) => (SslMode::Require, Trust::Authority(file)),
        ("verify-ca" | "verify-full", file) => (SslMode::Require, Trust::Host(file)),
        _ => {
            return Err(bad(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full",
            ));
        }
    };
    let local = |host: &Host| matches!(host, Host::Unix(_));
    if config.get_hosts().iter().all(local) {
        config.ssl_mode(SslMode::Disable);
    } else {
        config.ssl_mode(mode);
    }
    Ok(trust)
}

/// Takes our own parameters out of the query.
fn split(url: &str) -> Result<(String, Extra), DatabaseError> {
    // A password may hold a question mark; the query starts after it.
    let credentials = url.find('@').unwrap_or(0);
    let Some(mark) = url
        .get(credentials..)
        .and_then(|tail| tail.find('?'))
        .map(|at| credentials + at)
    else {
        return Ok((url.to_owned(), Extra::default()));
    };
    let (head, query) = url.split_at(mark);
    let mut extra = Extra::default();
    let mut kept = Vec::new();
    for pair in query
        .trim_start_matches('?')
        .split('&')
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "sslmode" => extra.sslmode = Some(decoded(value)),
            "sslrootcert" => extra.sslrootcert = Some(decoded(value).into()),
            "search_path" => extra.search_path = Some(decoded(value)),
            "sslcert" | "sslkey" => return Err(bad("client certificates are not supported")),
            _ => kept.push(pair),
        }
    }
    if kept.is_empty() {
        Ok((head.to_owned(), extra))
    } else {
        Ok((format!("{head}?{}", kept.join("&")), extra))
    }
}

/// A parameter's value without its percent signs.
fn decoded(value: &str) -> String {
    ::url::form_urlencoded::parse(format!("v={}", value.replace('+', "%2B")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn bad(reason: &str) -> DatabaseError {
    DatabaseError::Url(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tokio_postgres::config::{Host, SslMode};

    use super::{Trust, parse};

    fn encryption(url: &str) -> (SslMode, Trust) {
        let target = parse(url, "auth").unwrap();
        (target.config.get_ssl_mode(), target.trust)
    }

    #[test]
    fn encryption_follows_the_sslmode() {
        let file = || PathBuf::from("/etc/ca.pem");
        let cases = [
            ("", SslMode::Prefer, Trust::Anyone),
            ("?sslmode=disable", SslMode::Disable, Trust::Anyone),
            (
                "?sslmode=prefer&connect_timeout=3",
                SslMode::Prefer,
                Trust::Anyone,
            ),
            ("?sslmode=require", SslMode::Require, Trust::Anyone),
            (
                "?sslmode=require&sslrootcert=%2Fetc%2Fca.pem",
                SslMode::Require,
                Trust::Authority(file()),
            ),
            (
                "?sslmode=verify-ca&sslrootcert=/etc/ca.pem",
                SslMode::Require,
                Trust::Authority(file()),
            ),
            ("?sslmode=verify-ca", SslMode::Require, Trust::Host(None)),
            (
                "?sslrootcert=/etc/ca.pem&sslmode=verify-full",
                SslMode::Require,
                Trust::Host(Some(file())),
            ),
        ];
        for (query, mode, trust) in cases {
            let url = format!("postgres://user:secret@db.example.com:5432/app{query}");
            assert_eq!(encryption(&url), (mode, trust), "{query}");
        }
    }

    #[test]
    fn unix_sockets_are_named_in_either_place_and_never_encrypted() {
        for url in [
            "postgres:///app?host=/run/postgresql&user=me&sslmode=require",
            "postgres://me@%2Frun%2Fpostgresql/app?sslmode=verify-full",
        ] {
            let target = parse(url, "auth").unwrap();
            assert_eq!(
                target.config.get_hosts(),
                [Host::Unix(PathBuf::from("/run/postgresql"))]
            );
            assert_eq!(target.config.get_ssl_mode(), SslMode::Disable, "{url}");
        }
    }

    #[test]
    fn a_password_may_hold_what_separates_elsewhere() {
        let target = parse("postgres://me:a?b&c=d@host/app?search_path=auth", "auth").unwrap();
        assert_eq!(target.config.get_password(), Some(&b"a?b&c=d"[..]));
        assert_eq!(target.config.get_dbname(), Some("app"));
    }

    #[test]
    fn faults_are_named_without_the_password() {
        let cases = [
            ("", "must start with"),
            ("mysql://me:hunter2@host/app", "must start with"),
            ("host=localhost password=hunter2", "must start with"),
            ("postgres://me:hunter2@host:port/app", "port"),
            ("postgres://me:hunter2@/app", "no host"),
            (
                "postgres://me:hunter2@host/app?sslmode=hunter2",
                "sslmode must be",
            ),
            (
                "postgres://me:hunter2@host/app?sslcert=x",
                "client certificates",
            ),
            ("postgres://me:hunter2@host/app?pool=hunter2", "pool"),
        ];
        for (url, part) in cases {
            let error = parse(url, "auth").unwrap_err().to_string();
            assert!(error.contains(part), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{url}: {error}");
        }
    }
}
