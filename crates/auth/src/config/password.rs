//! `PASSWORD_*`: which passwords are accepted.

use std::path::PathBuf;

use innkeeper_service::settings::{Kind, Reader, Setting};
use url::Url;

use super::Profile;
use super::checks::{one_line, within_or};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "PASSWORD_MIN_LENGTH",
        Kind::Integer,
        "The minimum length of a password; at least 6. With a smaller one gotrue starts, warns and uses 6.",
    )
    .default(&["6"]),
    Setting::new(
        "PASSWORD_REQUIRED_CHARACTERS",
        Kind::Other("sets of characters with `:` between them"),
        "A password must contain a character of each set. `\\:` or `\\\\:` puts a colon into a set.",
    ),
    Setting::new(
        "PASSWORD_BREACHED_FILE",
        Kind::Path,
        "A sorted file of SHA-1 hashes of leaked passwords, which are refused.",
    ),
    Setting::new(
        "PASSWORD_BREACHED_URL",
        Kind::Url,
        "A service that lists leaked passwords by the first five digits of their SHA-1 hash, which are \
         appended to this URL.",
    ),
    Setting::new(
        "PASSWORD_HIBP_ENABLED",
        Kind::Boolean,
        "Uses the public service `https://api.pwnedpasswords.com/range/`.",
    )
    .default(&["false"]),
    Setting::new(
        "PASSWORD_HIBP_FAIL_CLOSED",
        Kind::Boolean,
        "Refuses passwords while the service does not answer.",
    )
    .default(&["false"]),
    Setting::new(
        "PASSWORD_HIBP_USER_AGENT",
        Kind::Text,
        "The `User-Agent` that is sent to the service.",
    )
    .default(&["innkeeper"]),
];

/// What to do about a minimum length that is refused.
const ADVICE: &str =
    "; remove the setting for 6, or set AUTH_PROFILE=gotrue, which starts and uses 6";

const PUBLIC_SERVICE: &str = "https://api.pwnedpasswords.com/range/";

/// `PASSWORD_*` settings.
#[derive(Debug, Clone)]
pub struct PasswordConfig {
    /// `PASSWORD_MIN_LENGTH`, default and minimum 6.
    pub min_length: usize,
    /// `PASSWORD_REQUIRED_CHARACTERS`: sets of which a password must contain a character each.
    pub required_characters: Vec<String>,
    /// `PASSWORD_BREACHED_FILE`: a sorted file of hashes of leaked passwords.
    pub breached_file: Option<PathBuf>,
    /// `PASSWORD_BREACHED_URL`: a service that lists leaked passwords by the first five digits of a hash.
    pub breached_url: Option<Url>,
    /// `PASSWORD_HIBP_FAIL_CLOSED`: passwords are refused while the service does not answer.
    pub breached_fail_closed: bool,
    /// `PASSWORD_HIBP_USER_AGENT`: the `User-Agent` that is sent to the service.
    pub breached_user_agent: String,
}

impl PasswordConfig {
    pub(super) fn read(reader: &mut Reader, profile: Profile) -> Self {
        let required_characters = reader.parsed("PASSWORD_REQUIRED_CHARACTERS", |text, _| {
            Ok::<_, String>(split_sets(text))
        });
        Self {
            min_length: within_or(reader, profile, "PASSWORD_MIN_LENGTH", 6..=1024, ADVICE),
            required_characters: required_characters.unwrap_or_default(),
            breached_file: reader.optional("PASSWORD_BREACHED_FILE"),
            breached_url: read_url(reader),
            breached_fail_closed: reader.get("PASSWORD_HIBP_FAIL_CLOSED"),
            breached_user_agent: one_line(reader, "PASSWORD_HIBP_USER_AGENT"),
        }
    }
}

fn read_url(reader: &mut Reader) -> Option<Url> {
    let own: Option<Url> = reader.optional("PASSWORD_BREACHED_URL");
    let public: bool = reader.get("PASSWORD_HIBP_ENABLED");
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
    if own.as_ref().is_some_and(|url| !is_web(url)) {
        reader.fault(
            "PASSWORD_BREACHED_URL",
            "must start with http:// or https://",
        );
    }
    own.or_else(|| Url::parse(PUBLIC_SERVICE).ok().filter(|_| public))
}

/// Splits at colons that have no backslash in front.
///
/// One or two backslashes make a colon part of a set: the specification has two, of which some ways of quoting
/// leave one.
fn split_sets(text: &str) -> Vec<String> {
    let mut sets = vec![String::new()];
    let mut backslashes: usize = 0;
    for letter in text.chars() {
        match letter {
            '\\' => {
                backslashes += 1;
                continue;
            }
            ':' if backslashes == 0 => sets.push(String::new()),
            ':' => {
                push(&mut sets, '\\', backslashes.saturating_sub(2));
                push(&mut sets, ':', 1);
            }
            letter => {
                push(&mut sets, '\\', backslashes);
                push(&mut sets, letter, 1);
            }
        }
        backslashes = 0;
    }
    push(&mut sets, '\\', backslashes);
    sets.retain(|set| !set.is_empty());
    sets
}

fn push(sets: &mut [String], letter: char, count: usize) {
    if let Some(set) = sets.last_mut() {
        set.extend(std::iter::repeat_n(letter, count));
    }
}
