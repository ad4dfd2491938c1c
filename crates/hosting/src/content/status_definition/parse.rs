//! Parses `status.toml`. All faults are reported with their lines.

use std::collections::HashSet;
use std::time::Duration;

use innkeeper_service::duration::parse_go;
use innkeeper_service::secret::Secret;
use jiff::SignedDuration;
use toml::de::{DeTable, DeValue};
use url::Url;

use super::{Component, DampingRules, Definition, HttpTarget, Probe, ProbeUrl, Target};
use crate::base::parse::{Fault, TomlTable, line_at};

/// The shortest and the longest values of settings.
const INTERVALS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_hours(1));
const TIMEOUTS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(20));
const WINDOWS: (Duration, Duration) = (Duration::from_mins(1), Duration::from_hours(24));

/// The values for components and probes that do not set their own.
#[derive(Debug, Clone, Copy)]
struct ProbeDefaults {
    interval: Duration,
    timeout: Duration,
    slow: Option<Duration>,
    rules: DampingRules,
}

const DEFAULTS: ProbeDefaults = ProbeDefaults {
    interval: Duration::from_secs(30),
    timeout: Duration::from_secs(5),
    slow: None,
    rules: DampingRules {
        failures: 3,
        recoveries: 2,
        flaps: 4,
        window: SignedDuration::from_mins(10),
    },
};

/// Parses a definition.
pub(crate) fn parse(text: &str) -> Result<Definition, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let faults = errors.iter().map(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            let message = error.message().split_whitespace().collect::<Vec<_>>();
            Fault::new(line, message.join(" "))
        });
        return Err(faults.collect());
    }
    let mut faults = Vec::new();
    let mut root = TomlTable::new(text, "", document.get_ref(), 1);
    let name = root.text("name");
    let url = root.value("url", "a URL that starts with https://", web_address);
    let defaults = probe_defaults(&mut root, DEFAULTS);
    let mut ids = HashSet::new();
    let mut components = Vec::new();
    for table in root.tables("components") {
        components.push(component(table, defaults, &mut ids, &mut faults));
    }
    root.finish(&mut faults);
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        return Err(faults);
    }
    Ok(Definition {
        name,
        url: url.map(String::from),
        components,
    })
}

fn web_address(value: &DeValue<'_>) -> Option<Url> {
    let url = Url::parse(value.as_str()?).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Reads the settings of probes from a table, with defaults for those that it does not set.
fn probe_defaults(table: &mut TomlTable<'_>, defaults: ProbeDefaults) -> ProbeDefaults {
    let window = duration(table, "flap_window", WINDOWS);
    let rules = DampingRules {
        failures: times(table, "failures").unwrap_or(defaults.rules.failures),
        recoveries: times(table, "recoveries").unwrap_or(defaults.rules.recoveries),
        flaps: times(table, "flaps").map_or(defaults.rules.flaps, |flaps| flaps as usize),
        window: window
            .and_then(|window| SignedDuration::try_from(window).ok())
            .unwrap_or(defaults.rules.window),
    };
    ProbeDefaults {
        interval: duration(table, "interval", INTERVALS).unwrap_or(defaults.interval),
        timeout: duration(table, "timeout", TIMEOUTS).unwrap_or(defaults.timeout),
        slow: duration(table, "slow", TIMEOUTS).or(defaults.slow),
        rules,
    }
}

fn times(table: &mut TomlTable<'_>, key: &'static str) -> Option<u32> {
    table.value(key, "a whole number from 1 to 100", |value| {
        let number: u32 = value.as_integer()?.as_str().parse().ok()?;
        (1..=100).contains(&number).then_some(number)
    })
}

fn duration(
    table: &mut TomlTable<'_>,
    key: &'static str,
    (shortest, longest): (Duration, Duration),
) -> Option<Duration> {
    let expected = format!("a duration such as \"30s\", from {shortest:?} to {longest:?}");
    table.value(key, &expected, |value| {
        let time = Duration::try_from(parse_go(value.as_str()?).ok()?).ok()?;
        (shortest..=longest).contains(&time).then_some(time)
    })
}

fn component(
    mut table: TomlTable<'_>,
    defaults: ProbeDefaults,
    ids: &mut HashSet<String>,
    faults: &mut Vec<Fault>,
) -> Component {
    let id = table.required_text("id");
    if !id.is_empty() {
        table.rename(format!("component `{id}`"));
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !id.bytes().all(allowed) || id.len() > 64 {
            let message =
                format!("component `{id}`: an id consists of lower case letters, digits and `-`");
            table.fault(table.line(), message);
        }
        if !ids.insert(id.clone()) {
            let message = format!("component `{id}`: the id is used twice");
            table.fault(table.line(), message);
        }
    }
    let own = probe_defaults(&mut table, defaults);
    let probes = table.tables("probes");
    let probes = probes
        .into_iter()
        .filter_map(|table| probe(table, own, faults));
    let probes = probes.collect();
    let component = Component {
        slug: table.text("slug").unwrap_or_else(|| id.clone()),
        name: table.required_text("name"),
        group: table.text("group").filter(|group| !group.trim().is_empty()),
        description: table.text("description"),
        interval: own.interval,
        rules: own.rules,
        probes,
        id,
    };
    table.finish(faults);
    component
}

#[derive(Debug, Clone, Copy)]
enum ProbeKind {
    Http,
    Tcp,
    Postgres,
}

const KINDS: [(&str, ProbeKind); 3] = [
    ("http", ProbeKind::Http),
    ("tcp", ProbeKind::Tcp),
    ("postgres", ProbeKind::Postgres),
];

fn probe(
    mut table: TomlTable<'_>,
    defaults: ProbeDefaults,
    faults: &mut Vec<Fault>,
) -> Option<Probe> {
    let kind = table.word("kind", &KINDS);
    if kind.is_none() && !table.has_fault_about("kind") {
        table.missing("kind");
    }
    let timeout = duration(&mut table, "timeout", TIMEOUTS).unwrap_or(defaults.timeout);
    let slow = duration(&mut table, "slow", TIMEOUTS).or(defaults.slow);
    let target = match kind {
        Some(ProbeKind::Http) => http(&mut table).map(Target::Http),
        Some(ProbeKind::Tcp) => tcp(&mut table),
        Some(ProbeKind::Postgres) => Some(Target::Postgres(postgres(&mut table))),
        // Without a kind, its other keys cannot be checked.
        None => {
            table.abandon(faults);
            return None;
        }
    };
    table.finish(faults);
    Some(Probe {
        target: target?,
        timeout,
        slow,
    })
}

fn probe_url(value: &DeValue<'_>) -> Option<ProbeUrl> {
    let is_path = |text: &&str| text.starts_with('/') && !text.starts_with("//");
    match value.as_str().filter(is_path) {
        Some(path) => Some(ProbeUrl::OwnPath(path.to_owned())),
        None => web_address(value).map(ProbeUrl::Absolute),
    }
}

fn http(table: &mut TomlTable<'_>) -> Option<HttpTarget> {
    let url = table.value(
        "url",
        "a URL that starts with https://, or a path of this server that starts with /",
        probe_url,
    );
    if url.is_none() && !table.has_fault_about("url") {
        table.missing("url");
    }
    let head = table.word("method", &[("GET", false), ("HEAD", true)]);
    let statuses = table.value("status", "statuses such as [200, \"300-399\"]", |value| {
        let items = value.as_array()?.iter();
        items.map(|item| statuses(item.get_ref())).collect()
    });
    let contains = table.text("contains");
    Some(HttpTarget {
        url: url?,
        head: head.unwrap_or(false) && contains.is_none(),
        statuses: statuses.unwrap_or_else(|| vec![(200, 399)]),
        contains,
    })
}

fn statuses(value: &DeValue<'_>) -> Option<(u16, u16)> {
    let (from, to) = match value {
        DeValue::Integer(number) => (number.as_str(), number.as_str()),
        DeValue::String(text) => text.split_once('-')?,
        _ => return None,
    };
    let (from, to): (u16, u16) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (100 <= from && from <= to && to <= 599).then_some((from, to))
}

fn tcp(table: &mut TomlTable<'_>) -> Option<Target> {
    let expected = "a host and a port such as \"127.0.0.1:25565\"";
    let target = table.value("address", expected, |value| {
        let (host, port) = value.as_str()?.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().ok().filter(|port| *port != 0)?;
        (!host.is_empty()).then(|| Target::Tcp {
            host: host.to_owned(),
            port,
        })
    });
    if target.is_none() && !table.has_fault_about("address") {
        table.missing("address");
    }
    target
}

fn postgres(table: &mut TomlTable<'_>) -> Option<Secret<String>> {
    table.value("url", "a URL that starts with postgres://", |value| {
        let text = value.as_str()?;
        let is_postgres = text.starts_with("postgres://") || text.starts_with("postgresql://");
        is_postgres.then(|| Secret::new(text.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{ProbeUrl, Target};
    use super::parse;

    fn faults(text: &str) -> Vec<(usize, String)> {
        let faults = parse(text).unwrap_err().into_iter();
        faults.map(|fault| (fault.line, fault.message)).collect()
    }

    #[test]
    fn components_say_how_they_are_probed() {
        let text = r#"
name = "Inn status"
interval = "1m"
failures = 2

[[components]]
id = "site"
name = "Site"
group = "Web"
interval = "10s"

[[components.probes]]
kind = "http"
url = "https://inn.example/health"
timeout = "2s"
status = [200, "301-302"]
contains = "ok"

[[components.probes]]
kind = "tcp"
address = "[::1]:25565"

[[components.probes]]
kind = "http"
url = "/health"

[[components]]
id = "data"
name = "Database"
probes = [{ kind = "postgres" }]

[[components]]
id = "people"
name = "Support"
"#;
        let definition = parse(text).unwrap();
        assert_eq!(definition.name.as_deref(), Some("Inn status"));
        let [site, data, people] = &definition.components[..] else {
            panic!("{definition:?}");
        };
        assert_eq!(
            (site.interval, data.interval),
            (Duration::from_secs(10), Duration::from_mins(1))
        );
        assert_eq!((site.rules.failures, site.rules.recoveries), (2, 2));
        assert_eq!(site.probes[0].timeout, Duration::from_secs(2));
        assert_eq!(site.probes[1].timeout, Duration::from_secs(5));
        let Target::Http(http) = &site.probes[0].target else {
            panic!("{site:?}");
        };
        assert_eq!(http.statuses, [(200, 200), (301, 302)]);
        let Target::Tcp { host, port } = &site.probes[1].target else {
            panic!("{site:?}");
        };
        assert_eq!((host.as_str(), *port), ("::1", 25565));
        let Target::Http(own) = &site.probes[2].target else {
            panic!("{site:?}");
        };
        assert_eq!(own.url, ProbeUrl::OwnPath("/health".to_owned()));
        assert!(data.needs_own_database() && !site.needs_own_database());
        assert!(people.probes.is_empty());
    }

    #[test]
    fn everything_that_is_wrong_is_reported_with_its_line() {
        let text = r#"
interval = "1s"
colour = "red"
[[components]]
id = "Site"
[[components]]
id = "two"
name = "Two"
failures = 0
[[components.probes]]
kind = "icmp"
[[components.probes]]
kind = "http"
[[components.probes]]
kind = "tcp"
address = "nowhere"
[[components]]
id = "two"
name = "Two again"
"#;
        let found = faults(text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 4, 9, 11, 12, 16, 17], "{found:#?}");
        assert!(found[0].1.contains("from 5s to 3600s"), "{}", found[0].1);
        assert!(
            found[7].1.contains("expected a host and a port"),
            "{}",
            found[7].1
        );
    }

    #[test]
    fn invalid_toml_is_reported_and_an_empty_file_has_no_components() {
        assert_eq!(faults("name = \n")[0].0, 1);
        assert!(parse("").unwrap().components.is_empty());
    }
}
