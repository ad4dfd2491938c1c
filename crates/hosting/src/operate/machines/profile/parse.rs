//! Parses the file of a game profile. All faults are reported with their lines.

use std::collections::{BTreeMap, BTreeSet};

use regex::RegexBuilder;
use toml::de::DeTable;

use crate::base::parse::{Fault, TomlTable, line_at};
use crate::model::{GameProfile, ProfilePort, Protocol, StopMethod};

/// How many seconds a server has to become ready, unless the file says otherwise.
const READY_SECONDS: u32 = 120;
const LONGEST_READY: u64 = 3600;
const MAX_TEXT: usize = 1024;
const MAX_NAME: usize = 64;
/// The largest compiled ready pattern, in bytes.
const PATTERN_SIZE: usize = 1024 * 1024;
/// The signals that ask a process to stop.
const SIGNALS: [&str; 6] = [
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2",
];

/// Parses a profile. Each error is a line such as `3: `image` is missing`.
///
/// ```
/// use innkeeper_hosting::machine::parse_profile;
///
/// let profile = parse_profile(
///     "name = \"minecraft\"\n\
///      image = \"localhost/minecraft:1.21\"\n\
///      data_path = \"/data\"\n\
///      ready_pattern = \"Done \\\\(\"\n\
///      ports = [\"25565/tcp\"]\n\
///      stop = { command = \"stop\" }\n",
/// );
/// assert_eq!(profile.unwrap().name, "minecraft");
/// assert_eq!(
///     parse_profile("name = \"x\"\nimage = \"x\"\ndata_path = \"data\"\nstop = { signal = \"KILL\" }").unwrap_err(),
///     [
///         "3: `data_path`: expected an absolute path below `/`, without `.` and `..`",
///         "4: stop: `signal`: expected one of SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2",
///     ]
/// );
/// ```
pub fn parse_profile(text: &str) -> Result<GameProfile, Vec<String>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut faults: Vec<Fault> = errors
        .iter()
        .map(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            let message = error.message().split_whitespace().collect::<Vec<_>>();
            Fault::new(line, message.join(" "))
        })
        .collect();
    if faults.is_empty() {
        let root = TomlTable::new(text, "", document.get_ref(), 1);
        let profile = read(root, &mut faults);
        if faults.is_empty() {
            return Ok(profile);
        }
    }
    faults.sort_by_key(|fault| fault.line);
    let faults = faults.into_iter();
    let lines = faults.map(|fault| {
        // Faults of the file itself have no name in front.
        format!("{}: {}", fault.line, fault.message.trim_start_matches(": "))
    });
    Err(lines.collect())
}

fn read(mut root: TomlTable<'_>, faults: &mut Vec<Fault>) -> GameProfile {
    let name_rule = "lower case letters, digits, `.`, `_` and `-`, at most 64";
    let profile = GameProfile {
        name: required(&mut root, "name", name_rule, is_name),
        version: optional(&mut root, "version", "one line of text", is_line),
        image: required(&mut root, "image", "the name of an image", is_image),
        command: command(&mut root),
        environment: environment(&mut root, faults),
        data_path: required(
            &mut root,
            "data_path",
            "an absolute path below `/`, without `.` and `..`",
            is_data_path,
        ),
        stop: stop(&mut root, faults),
        ready_pattern: ready_pattern(&mut root),
        ready_seconds: ready_seconds(&mut root),
        ports: ports(&mut root),
        read_only_root: root.flag("read_only_root").unwrap_or(true),
    };
    root.finish(faults);
    profile
}

/// Reads a text that must be present and satisfy a rule.
fn required(
    table: &mut TomlTable<'_>,
    key: &'static str,
    expected: &str,
    is_valid: fn(&str) -> bool,
) -> String {
    let text = optional(table, key, expected, is_valid);
    if text.is_none() && !table.has_fault_about(key) {
        table.missing(key);
    }
    text.unwrap_or_default()
}

/// Reads a text that must satisfy a rule if it is present.
fn optional(
    table: &mut TomlTable<'_>,
    key: &'static str,
    expected: &str,
    is_valid: fn(&str) -> bool,
) -> Option<String> {
    table.value(key, expected, |value| {
        let text = value.as_str().filter(|text| is_valid(text));
        text.map(str::to_owned)
    })
}

fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= MAX_NAME
        && text.bytes().next().is_some_and(is_letter)
        && text
            .bytes()
            .all(|byte| is_letter(byte) || b"._-".contains(&byte))
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_TEXT && !text.contains(char::is_control)
}

fn is_image(text: &str) -> bool {
    is_line(text) && text.is_ascii() && !text.contains(' ') && !text.starts_with('-')
}

fn is_data_path(text: &str) -> bool {
    let Some(below) = text.strip_prefix('/') else {
        return false;
    };
    let is_segment = |segment: &str| !matches!(segment, "" | "." | "..");
    is_line(text) && below.split('/').all(is_segment) && !text.contains(':')
}

fn command(root: &mut TomlTable<'_>) -> Vec<String> {
    let command = root.value("command", "a list of texts without NUL", |value| {
        let words = value.as_array()?.iter();
        let words = words.map(|word| {
            let word = word.get_ref().as_str()?;
            (!word.contains('\0') && word.len() <= 64 * MAX_TEXT).then(|| word.to_owned())
        });
        words.collect::<Option<Vec<String>>>()
    });
    command.unwrap_or_default()
}

fn environment(root: &mut TomlTable<'_>, faults: &mut Vec<Fault>) -> BTreeMap<String, String> {
    let Some(mut table) = root.table("environment") else {
        return BTreeMap::new();
    };
    let mut environment = BTreeMap::new();
    for (name, line, value) in table.remaining_texts() {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = !name.is_empty()
            && name.bytes().all(is_letter)
            && !name.starts_with(|first: char| first.is_ascii_digit());
        if !is_name || value.contains('\0') {
            let message =
                format!("environment: `{name}` is not the name of a variable with a text");
            table.fault(line, message);
            continue;
        }
        environment.insert(name.to_owned(), value.to_owned());
    }
    table.finish(faults);
    environment
}

fn stop(root: &mut TomlTable<'_>, faults: &mut Vec<Fault>) -> StopMethod {
    let default = StopMethod::Signal("SIGTERM".to_owned());
    let Some(mut table) = root.table("stop") else {
        if !root.has_fault_about("stop") {
            root.missing("stop");
        }
        return default;
    };
    table.rename("stop".to_owned());
    let (line, before) = (table.line(), faults.len());
    let command = optional(&mut table, "command", "one line of text", is_line);
    let expected = format!("one of {}", SIGNALS.join(", "));
    let signal = optional(&mut table, "signal", &expected, |text| {
        SIGNALS.contains(&text)
    });
    table.finish(faults);
    match (command, signal) {
        (Some(command), None) => StopMethod::Command(command),
        (None, Some(signal)) => StopMethod::Signal(signal),
        _ if faults.len() > before => default,
        _ => {
            let message = "stop: expected either `command` or `signal`";
            faults.push(Fault::new(line, message));
            default
        }
    }
}

fn ready_pattern(root: &mut TomlTable<'_>) -> Option<String> {
    let expected = "a regular expression of at most 1024 bytes";
    root.value("ready_pattern", expected, |value| {
        let pattern = value.as_str().filter(|text| text.len() <= MAX_TEXT)?;
        let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build();
        compiled.ok().map(|_| pattern.to_owned())
    })
}

fn ready_seconds(root: &mut TomlTable<'_>) -> u32 {
    let expected = format!("a whole number of seconds from 1 to {LONGEST_READY}");
    let seconds = root.value("ready_seconds", &expected, |value| {
        let number: u64 = value.as_integer()?.as_str().parse().ok()?;
        let number = (1..=LONGEST_READY).contains(&number).then_some(number)?;
        u32::try_from(number).ok()
    });
    seconds.unwrap_or(READY_SECONDS)
}

fn ports(root: &mut TomlTable<'_>) -> Vec<ProfilePort> {
    let expected = "a list of different ports such as \"25565/tcp\"";
    let ports = root.value("ports", expected, |value| {
        let mut seen = BTreeSet::new();
        let ports = value.as_array()?.iter();
        let ports = ports.map(|port| {
            let (number, protocol) = port.get_ref().as_str()?.split_once('/')?;
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
            let number: u16 = is_number.then(|| number.parse().ok()).flatten()?;
            let port = ProfilePort {
                port: (number > 0).then_some(number)?,
                protocol: Protocol::parse(protocol)?,
            };
            seen.insert((port.port, port.protocol)).then_some(port)
        });
        ports.collect::<Option<Vec<_>>>()
    });
    ports.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::parse_profile;
    use crate::model::StopMethod;

    const GOOD: &str = r#"name = "demo"
version = "1.0"
image = "localhost/demo:1"
command = ["/game", "--world", "a b"]
data_path = "/data"
ready_pattern = '^ready on port \d+$'
ready_seconds = 20
read_only_root = false
ports = ["25565/tcp", "25565/udp"]
stop = { command = "stop" }
[environment]
WORLD = "a=b"
"#;

    #[test]
    fn a_whole_file_is_read() {
        let profile = parse_profile(GOOD).unwrap();
        assert_eq!(profile.version.as_deref(), Some("1.0"));
        assert_eq!(profile.command.len(), 3);
        assert_eq!(profile.stop, StopMethod::Command("stop".to_owned()));
        assert_eq!(profile.environment["WORLD"], "a=b");
        assert_eq!((profile.ready_seconds, profile.ports.len()), (20, 2));
        assert!(!profile.read_only_root);
    }

    #[test]
    fn defaults_are_safe() {
        let text =
            "name = \"a\"\nimage = \"b\"\ndata_path = \"/d\"\nstop = { signal = \"SIGINT\" }\n";
        let profile = parse_profile(text).unwrap();
        assert!(profile.read_only_root);
        assert_eq!(profile.ready_seconds, 120);
        assert!(profile.command.is_empty() && profile.ports.is_empty());
        assert_eq!(profile.ready_pattern, None);
    }

    /// A change of the good file, and the fault that it makes.
    const FAULTS: &[(&str, &str, &str)] = &[
        (
            "name = \"demo\"",
            "name = \"Demo\"",
            "1: `name`: expected lower case",
        ),
        ("name = \"demo\"\n", "", "1: `name` is missing"),
        (
            "\"localhost/demo:1\"",
            "\"--x\"",
            "3: `image`: expected the name",
        ),
        ("\"/data\"", "\"/\"", "5: `data_path`: expected an absolute"),
        (
            "\"/data\"",
            "\"/data/../etc\"",
            "5: `data_path`: expected an absolute",
        ),
        (
            "\"/data\"",
            "\"/data:/etc\"",
            "5: `data_path`: expected an absolute",
        ),
        (
            "'^ready on port \\d+$'",
            "'('",
            "6: `ready_pattern`: expected a regular",
        ),
        (
            "'^ready on port \\d+$'",
            "'(a{999}){999}'",
            "6: `ready_pattern`: expected a regular",
        ),
        (
            "ready_seconds = 20",
            "ready_seconds = 0",
            "7: `ready_seconds`: expected a whole",
        ),
        (
            "ready_seconds = 20",
            "ready_seconds = 3601",
            "7: `ready_seconds`: expected a whole",
        ),
        (
            "\"25565/udp\"",
            "\"25565/tcp\"",
            "9: `ports`: expected a list of different",
        ),
        (
            "\"25565/udp\"",
            "\"0/tcp\"",
            "9: `ports`: expected a list of different",
        ),
        (
            "\"25565/udp\"",
            "\"1/sctp\"",
            "9: `ports`: expected a list of different",
        ),
        ("{ command = \"stop\" }", "{}", "10: stop: expected either"),
        (
            "{ command = \"stop\" }",
            "{ command = \"stop\", signal = \"SIGTERM\" }",
            "10: stop: expected either",
        ),
        (
            "{ command = \"stop\" }",
            "{ command = \"a\\nb\" }",
            "10: stop: `command`: expected one line",
        ),
        (
            "{ command = \"stop\" }",
            "{ signal = \"SIGKILL\" }",
            "10: stop: `signal`: expected one of",
        ),
        ("stop = { command = \"stop\" }\n", "", "`stop` is missing"),
        (
            "WORLD = \"a=b\"",
            "\"A=B\" = \"c\"",
            "12: environment: `A=B` is not",
        ),
        (
            "WORLD = \"a=b\"",
            "WORLD = 7",
            "12: environment: `WORLD`: expected text",
        ),
        (
            "version = \"1.0\"",
            "colour = \"red\"",
            "2: `colour` is not a known key",
        ),
        ("version = \"1.0\"", "version = ", "2: "),
    ];

    #[test]
    fn each_fault_names_its_line_and_key() {
        for &(from, to, fault) in FAULTS {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD, "{from}");
            let faults = parse_profile(&text).unwrap_err();
            assert!(
                faults.iter().any(|line| line.contains(fault)),
                "{fault}: {faults:?}"
            );
        }
    }
}
