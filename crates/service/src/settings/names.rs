//! Names of settings: patterns, variables of container platforms, and the nearest name to a typing error.

use super::{Section, Setting};

/// Finds the setting for a name without prefix.
pub(super) fn find(table: &'static [Section], name: &str) -> Option<&'static Setting> {
    let settings = || table.iter().flat_map(|section| section.settings);
    settings()
        .find(|setting| setting.name == name || setting.aliases.contains(&name))
        .or_else(|| settings().find(|setting| word_in(setting, name).is_some()))
}

/// Returns the word in a name that stands for the part in angle brackets.
pub(super) fn word_in<'a>(setting: &Setting, name: &'a str) -> Option<&'a str> {
    let (before, rest) = setting.name.split_once('<')?;
    let (_, after) = rest.split_once('>')?;
    let word = name.strip_prefix(before)?.strip_suffix(after)?;
    let known = setting.words.is_empty() || setting.words.contains(&word);
    (known && !word.is_empty()).then_some(word)
}

/// Returns all names in the table, without prefix. A pattern gives one name for each of its words.
fn all(table: &'static [Section]) -> Vec<String> {
    let mut names = Vec::new();
    for setting in table.iter().flat_map(|section| section.settings) {
        names.extend(setting.aliases.iter().map(|alias| (*alias).to_owned()));
        match setting.name.split_once('<') {
            None => names.push(setting.name.to_owned()),
            Some((before, rest)) => {
                let after = rest.split_once('>').map_or("", |(_, after)| after);
                names.extend(
                    setting
                        .words
                        .iter()
                        .map(|word| format!("{before}{word}{after}")),
                );
            }
        }
    }
    names
}

/// Returns the known name that is most similar to this one, if one is similar enough.
pub(super) fn nearest(table: &'static [Section], name: &str) -> Option<String> {
    let allowed = 1 + name.len() / 6;
    all(table)
        .into_iter()
        .map(|known| (distance(name, &known), known))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, known)| known)
}

/// Returns the Levenshtein distance of two texts, in bytes.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.bytes().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (other, cell) in right.bytes().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = *cell;
            before = replaced.min(*cell + 1).min(before + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Whether a variable is a service link of a container platform such as Kubernetes, for example
/// `AUTH_PORT=tcp://10.0.0.1:80` for a service called `auth`.
pub(super) fn is_service_link(name: &str, value: &str) -> bool {
    let has_protocol = ["tcp://", "udp://", "sctp://"]
        .iter()
        .any(|protocol| value.starts_with(protocol));
    let numbered = name
        .split_once("_PORT_")
        .is_some_and(|(_, rest)| rest.starts_with(|letter: char| letter.is_ascii_digit()));
    name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || numbered
        || (has_protocol && name.ends_with("_PORT"))
}

#[cfg(test)]
mod tests {
    use super::{distance, is_service_link};

    #[test]
    fn the_distance_counts_changed_letters() {
        for (left, right, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("SITE_URL", "SITE_URL", 0),
            ("SITE_ULR", "SITE_URL", 2),
            ("SIT_URL", "SITE_URL", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn variables_of_a_container_platform_are_recognised() {
        assert!(is_service_link("AUTH_PORT", "tcp://10.0.0.1:80"));
        assert!(is_service_link("AUTH_PORT_80_TCP_ADDR", "10.0.0.1"));
        assert!(is_service_link("AUTH_SERVICE_HOST", "10.0.0.1"));
        assert!(is_service_link("AUTH_DB_SERVICE_PORT_HTTP", "80"));
        assert!(!is_service_link("AUTH_PORT", "8081"));
        assert!(!is_service_link("AUTH_SITE_URL", "tcp://10.0.0.1:80"));
    }
}
