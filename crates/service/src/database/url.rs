//! Parses a database URL, including the parameters that the driver does not support.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::error::{DatabaseError, explain};
use crate::loopback::is_loopback_host;

/// How long a host may take to accept a connection, unless the URL says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The value of `sslrootcert` that means the authorities that the system trusts.
const SYSTEM: &str = "system";

/// How a server's certificate is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CertificateCheck {
    /// Accepts any certificate.
    None,
    /// Requires one issued for the host by an authority of the system or, if named, of the file.
    Host(Option<PathBuf>),
    /// Requires one issued by an authority of the file, for any host.
    Authority(PathBuf),
}

/// The server and the connection parameters that a URL names.
#[derive(Debug, Clone)]
pub(super) struct DatabaseTarget {
    pub(super) config: Config,
    pub(super) certificate_check: CertificateCheck,
}

/// The parameters that the driver does not support.
#[derive(Debug, Default)]
struct ExtraParameters {
    sslmode: Option<String>,
    sslrootcert: Option<PathBuf>,
    search_path: Option<String>,
}

/// Parses a URL. Errors repeat no more of it than the name of a parameter.
pub(super) fn parse(url: &str, schema: &str) -> Result<DatabaseTarget, DatabaseError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(invalid("it must start with postgres:// or postgresql://"));
    }
    let (rest, extra) = split(url)?;
    let mut config: Config = rest
        .parse()
        .map_err(|error: tokio_postgres::Error| invalid(&explain(&error)))?;
    if config.get_hosts().is_empty() {
        let Some(address) = config.get_hostaddrs().first().copied() else {
            return Err(invalid("it names no host"));
        };
        // TLS needs a host name.
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
    if extra.sslmode.is_none() && extra.sslrootcert.is_none() && has_remote_host(&config) {
        tracing::warn!(
            "the database URL has no sslmode: the connection is encrypted if the server offers it, but an \
             attacker in between can prevent that; sslmode=verify-full protects it"
        );
    }
    let certificate_check = set_encryption(&mut config, extra)?;
    Ok(DatabaseTarget {
        config,
        certificate_check,
    })
}

/// Whether a host of the URL is reached over a network.
fn has_remote_host(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    let mut hosts = config.get_hosts().iter().enumerate();
    hosts.any(|(index, host)| match (addresses.get(index), host) {
        (_, Host::Unix(_)) => false,
        (Some(address), Host::Tcp(_)) => !address.is_loopback(),
        (None, Host::Tcp(name)) => !is_loopback_host(name),
    })
}

/// Sets the driver's TLS mode and returns the check of the certificate.
fn set_encryption(
    config: &mut Config,
    extra: ExtraParameters,
) -> Result<CertificateCheck, DatabaseError> {
    let is_system = extra.sslrootcert.as_deref() == Some(Path::new(SYSTEM));
    let file = extra.sslrootcert.filter(|_| !is_system);
    let default = if is_system { "verify-full" } else { "prefer" };
    let (mode, check) = match (extra.sslmode.as_deref().unwrap_or(default), file) {
        ("verify-full", file) => (SslMode::Require, CertificateCheck::Host(file)),
        ("disable" | "allow" | "prefer" | "require" | "verify-ca", _) if is_system => {
            return Err(invalid("sslrootcert=system requires sslmode=verify-full"));
        }
        ("disable", _) => (SslMode::Disable, CertificateCheck::None),
        ("allow" | "prefer", _) => (SslMode::Prefer, CertificateCheck::None),
        ("require", None) => (SslMode::Require, CertificateCheck::None),
        ("require" | "verify-ca", Some(file)) => {
            (SslMode::Require, CertificateCheck::Authority(file))
        }
        ("verify-ca", None) => (SslMode::Require, CertificateCheck::Host(None)),
        _ => {
            return Err(invalid(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full",
            ));
        }
    };
    let is_socket = |host: &Host| matches!(host, Host::Unix(_));
    if config.get_hosts().iter().all(is_socket) {
        config.ssl_mode(SslMode::Disable);
    } else {
        config.ssl_mode(mode);
    }
    Ok(check)
}

/// Removes the parameters that the driver does not support from the URL.
fn split(url: &str) -> Result<(String, ExtraParameters), DatabaseError> {
    // A password may contain a question mark; the query starts after the credentials.
    let credentials = url.find('@').unwrap_or(0);
    let Some(mark) = url
        .get(credentials..)
        .and_then(|tail| tail.find('?'))
        .map(|at| credentials + at)
    else {
        return Ok((url.to_owned(), ExtraParameters::default()));
    };
    let (head, query) = url.split_at(mark);
    let mut extra = ExtraParameters::default();
    let mut others = Vec::new();
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
            "sslcert" | "sslkey" => return Err(invalid("client certificates are not supported")),
            _ => others.push(pair),
        }
    }
    if others.is_empty() {
        Ok((head.to_owned(), extra))
    } else {
        Ok((format!("{head}?{}", others.join("&")), extra))
    }
}

/// Decodes the percent encoding of a parameter's value.
fn decoded(value: &str) -> String {
    ::url::form_urlencoded::parse(format!("v={}", value.replace('+', "%2B")).as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn invalid(reason: &str) -> DatabaseError {
    DatabaseError::Url(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tokio_postgres::config::{Host, SslMode};

    use super::{CertificateCheck, has_remote_host, parse};

    fn encryption(url: &str) -> (SslMode, CertificateCheck) {
        let target = parse(url, "auth").unwrap();
        (target.config.get_ssl_mode(), target.certificate_check)
    }

    #[test]
    fn encryption_follows_the_sslmode() {
        let file = || PathBuf::from("/etc/ca.pem");
        let cases = [
            ("", SslMode::Prefer, CertificateCheck::None),
            ("?sslmode=disable", SslMode::Disable, CertificateCheck::None),
            (
                "?sslmode=prefer&connect_timeout=3",
                SslMode::Prefer,
                CertificateCheck::None,
            ),
            ("?sslmode=require", SslMode::Require, CertificateCheck::None),
            (
                "?sslmode=require&sslrootcert=%2Fetc%2Fca.pem",
                SslMode::Require,
                CertificateCheck::Authority(file()),
            ),
            (
                "?sslmode=verify-ca&sslrootcert=/etc/ca.pem",
                SslMode::Require,
                CertificateCheck::Authority(file()),
            ),
            (
                "?sslmode=verify-ca",
                SslMode::Require,
                CertificateCheck::Host(None),
            ),
            (
                "?sslrootcert=/etc/ca.pem&sslmode=verify-full",
                SslMode::Require,
                CertificateCheck::Host(Some(file())),
            ),
            (
                "?sslmode=verify-full&sslrootcert=system",
                SslMode::Require,
                CertificateCheck::Host(None),
            ),
            (
                "?sslrootcert=system",
                SslMode::Require,
                CertificateCheck::Host(None),
            ),
        ];
        for (query, mode, check) in cases {
            let url = format!("postgres://user:secret@db.example.com:5432/app{query}");
            assert_eq!(encryption(&url), (mode, check), "{query}");
        }
    }

    #[test]
    fn hosts_on_the_network_are_told_from_this_machine() {
        let cases = [
            ("localhost", false),
            ("127.0.0.1", false),
            ("127.8.8.8", false),
            ("[::1]", false),
            ("%2Frun%2Fpostgresql", false),
            ("db.example.com", true),
            ("10.0.0.5", true),
            ("localhost.example.com", true),
            ("localhost,db.example.com", true),
        ];
        for (host, expected) in cases {
            let target = parse(&format!("postgres://me@{host}/app"), "auth").unwrap();
            assert_eq!(has_remote_host(&target.config), expected, "{host}");
        }
        let by_address = "postgres://me@localhost/app?hostaddr=10.0.0.5";
        let target = parse(by_address, "auth").unwrap();
        assert!(has_remote_host(&target.config));
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
                "postgres://me:hunter2@host/app?sslmode=require&sslrootcert=system",
                "sslrootcert=system",
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
