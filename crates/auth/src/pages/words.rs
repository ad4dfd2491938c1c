//! The languages of the pages. Each is a file of texts: those of English and German are part of the program.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::config::is_locale;

const ENGLISH: &str = include_str!("words/en.json");
const GERMAN: &str = include_str!("words/de.json");

/// The texts of one language. A part in braces, such as `{email}`, is replaced by a value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) accept_invitation: String,
    pub(super) account_of: String,
    pub(super) address_confirmed: String,
    pub(super) back_to_sign_in: String,
    pub(super) back_to_site: String,
    pub(super) banned: String,
    pub(super) captcha_required: String,
    pub(super) change_email: String,
    pub(super) choose_new_password: String,
    pub(super) choose_password: String,
    pub(super) code: String,
    pub(super) code_sent: String,
    pub(super) code_wrong: String,
    pub(super) confirm_address: String,
    pub(super) confirm_change: String,
    pub(super) confirm_email_change: String,
    pub(super) confirm_first: String,
    pub(super) confirm_invite: String,
    pub(super) confirm_magic_link: String,
    pub(super) confirm_recovery: String,
    pub(super) confirm_signup: String,
    pub(super) continue_with: String,
    pub(super) current_password: String,
    pub(super) current_password_missing: String,
    pub(super) current_password_wrong: String,
    pub(super) email: String,
    pub(super) email_change_half: String,
    pub(super) email_change_started: String,
    pub(super) email_changed: String,
    pub(super) email_disabled: String,
    pub(super) email_invalid: String,
    pub(super) email_link: String,
    pub(super) email_not_accepted: String,
    pub(super) email_not_confirmed: String,
    pub(super) email_pending: String,
    pub(super) email_taken: String,
    pub(super) end_others: String,
    pub(super) end_session: String,
    pub(super) enter_code: String,
    pub(super) error_title: String,
    pub(super) forgotten_password: String,
    pub(super) forgotten_password_hint: String,
    pub(super) form_outdated: String,
    pub(super) go_back: String,
    pub(super) go_on: String,
    pub(super) have_account: String,
    pub(super) hour: String,
    pub(super) hours: String,
    pub(super) language_name: String,
    pub(super) languages: String,
    pub(super) link_title: String,
    pub(super) link_wrong: String,
    pub(super) look_into_mailbox: String,
    pub(super) managed_elsewhere: String,
    pub(super) minute: String,
    pub(super) minutes: String,
    pub(super) new_email: String,
    pub(super) new_link_email_change: String,
    pub(super) new_link_invite: String,
    pub(super) new_link_magic_link: String,
    pub(super) new_link_recovery: String,
    pub(super) new_link_signup: String,
    pub(super) new_password: String,
    pub(super) no_account_yet: String,
    pub(super) no_address: String,
    pub(super) no_cookies: String,
    pub(super) no_mail: String,
    pub(super) no_mail_sign_up: String,
    pub(super) no_page: String,
    pub(super) not_now: String,
    pub(super) not_you: String,
    pub(super) others_ended: String,
    pub(super) password: String,
    pub(super) password_again: String,
    pub(super) password_changed: String,
    pub(super) password_easy: String,
    pub(super) password_lacks_characters: String,
    pub(super) password_missing: String,
    pub(super) password_not_stored: String,
    pub(super) password_of: String,
    pub(super) password_proof_missing: String,
    pub(super) password_rule: String,
    pub(super) password_too_short: String,
    pub(super) passwords_differ: String,
    pub(super) problem: String,
    pub(super) provider_failed: String,
    pub(super) provider_outdated: String,
    pub(super) same_email: String,
    pub(super) same_password: String,
    pub(super) save_password: String,
    pub(super) second: String,
    pub(super) second_factor_needed: String,
    pub(super) seconds: String,
    pub(super) send_again: String,
    pub(super) send_code: String,
    pub(super) send_mail: String,
    pub(super) sent_before: String,
    pub(super) session_ended: String,
    pub(super) sessions: String,
    pub(super) sign_in: String,
    pub(super) sign_in_again: String,
    pub(super) sign_out: String,
    pub(super) sign_up: String,
    pub(super) sign_up_closed: String,
    pub(super) signed_out: String,
    pub(super) this_browser: String,
    pub(super) to_account: String,
    pub(super) to_sign_in: String,
    pub(super) too_many_attempts: String,
    pub(super) too_many_mails: String,
    pub(super) too_many_requests: String,
    pub(super) unavailable: String,
    pub(super) unexpected: String,
    pub(super) unknown_browser: String,
    pub(super) used_at: String,
    pub(super) wrong_credentials: String,
    pub(super) your_account: String,
}

impl Words {
    /// Fills in the number of seconds to wait, in words.
    pub(super) fn with_wait(&self, text: &str, seconds: u64) -> String {
        fill(text, &[("wait", &self.duration(seconds))])
    }

    /// Returns a duration in words, rounded up to a unit that people use.
    pub(super) fn duration(&self, seconds: u64) -> String {
        let (one, several, number) = match seconds {
            0..=90 => (&self.second, &self.seconds, seconds.max(1)),
            91..=5400 => (&self.minute, &self.minutes, seconds.div_ceil(60)),
            _ => (&self.hour, &self.hours, seconds.div_ceil(3600)),
        };
        let unit = if number == 1 { one } else { several };
        format!("{number} {unit}")
    }
}

/// Replaces the parts in braces. Values may contain braces: they are not looked at again.
pub(super) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        let value = values.iter().find(|(key, _)| *key == name);
        filled.push_str(value.map_or("", |(_, value)| value));
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// A language of the pages.
#[derive(Debug)]
pub(super) struct Language {
    /// The tag of the language, such as `de`.
    pub(super) code: String,
    pub(super) words: Words,
}

/// All languages; the first one is the default.
#[derive(Debug)]
pub(super) struct Languages(Vec<Language>);

impl Languages {
    /// Loads the built-in languages and those of the operator, who may also replace texts of the built-in ones. What a
    /// language lacks is English. Returns warnings about texts that cannot be used.
    pub(super) fn load(
        files: &BTreeMap<String, BTreeMap<String, String>>,
    ) -> Result<(Self, Vec<String>), serde_json::Error> {
        let english: Map<String, Value> = serde_json::from_str(ENGLISH)?;
        let german: Map<String, Value> = serde_json::from_str(GERMAN)?;
        let mut texts = BTreeMap::from([("en".to_owned(), Map::new()), ("de".to_owned(), german)]);
        let mut warnings = Vec::new();
        for (code, file) in files {
            let language = texts.entry(code.clone()).or_default();
            for (name, text) in file {
                match check(&english, name, text) {
                    Ok(()) => {
                        language.insert(name.clone(), text.as_str().into());
                    }
                    Err(problem) => {
                        warnings.push(format!("PAGES_LANGUAGES_DIR: {code}.json: {problem}"));
                    }
                }
            }
            let missing = english.keys().filter(|name| !language.contains_key(*name));
            let missing = missing.count();
            if code != "en" && missing > 0 {
                warnings.push(format!(
                    "PAGES_LANGUAGES_DIR: {code}.json lacks {missing} texts, which are shown in English"
                ));
            }
        }
        let mut languages = Vec::new();
        for (code, own) in texts {
            let mut all = english.clone();
            all.extend(own);
            let words = serde_json::from_value(Value::Object(all))?;
            languages.push(Language { code, words });
        }
        languages.sort_by_key(|language| language.code != "en");
        Ok((Self(languages), warnings))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Language> {
        self.0.iter()
    }

    /// Returns the language with this tag, or else without its region.
    pub(super) fn find(&self, code: &str) -> Option<&Language> {
        let mut code = Some(code).filter(|code| is_locale(code))?;
        loop {
            let found = self
                .iter()
                .find(|language| language.code.eq_ignore_ascii_case(code));
            if found.is_some() {
                return found;
            }
            code = code.rsplit_once('-')?.0;
        }
    }

    /// Chooses the language of a visitor: the one that was chosen before, else the first that the browser prefers.
    pub(super) fn choose(&self, chosen: Option<&str>, accepted: Option<&str>) -> &Language {
        let chosen = chosen.and_then(|code| self.find(code));
        chosen
            .or_else(|| {
                preferences(accepted.unwrap_or_default())
                    .into_iter()
                    .find_map(|code| self.find(code))
            })
            .unwrap_or_else(|| self.default())
    }

    #[expect(clippy::indexing_slicing, reason = "English is always there")]
    fn default(&self) -> &Language {
        &self.0[0]
    }
}

/// Returns the languages of an `Accept-Language` header, the preferred ones first.
fn preferences(header: &str) -> Vec<&str> {
    let mut weighted: Vec<(f32, &str)> = header
        .split(',')
        .take(20)
        .filter_map(|part| {
            let (code, weight) = part.split_once(";q=").unwrap_or((part, "1"));
            let weight = weight.trim().parse().unwrap_or(0.0);
            (weight > 0.0).then_some((weight, code.trim()))
        })
        .collect();
    weighted.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    weighted.into_iter().map(|(_, code)| code).collect()
}

/// Refuses a text that no page uses, or that names values which its page does not have.
fn check(english: &Map<String, Value>, name: &str, text: &str) -> Result<(), String> {
    let Some(original) = english.get(name).and_then(Value::as_str) else {
        return Err(format!("no page has a text `{name}`"));
    };
    let known = names(original);
    match names(text).difference(&known).next() {
        Some(unknown) => Err(format!("`{name}` has no value `{{{unknown}}}`")),
        None => Ok(()),
    }
}

/// Returns the names of the values in a text.
fn names(text: &str) -> BTreeSet<&str> {
    let parts = text.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Map, Value};

    use super::{ENGLISH, GERMAN, Languages, fill, names, preferences};

    fn file(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
        let texts = texts.iter();
        texts
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn german_has_every_text_with_the_same_values() {
        let english: Map<String, Value> = serde_json::from_str(ENGLISH).unwrap();
        let german: Map<String, Value> = serde_json::from_str(GERMAN).unwrap();
        for (name, text) in &english {
            let translated = german[name].as_str().unwrap();
            assert_eq!(names(translated), names(text.as_str().unwrap()), "{name}");
            assert!(!translated.is_empty(), "{name}");
        }
        assert_eq!(english.len(), german.len());
    }

    #[test]
    fn a_file_adds_a_language_and_what_it_lacks_is_english() {
        let files = BTreeMap::from([
            (
                "fr".to_owned(),
                file(&[
                    ("sign_in", "Se connecter"),
                    ("nonsense", "x"),
                    ("account_of", "{mail}"),
                ]),
            ),
            ("de".to_owned(), file(&[("sign_in", "Einloggen")])),
        ]);
        let (languages, warnings) = Languages::load(&files).unwrap();
        let french = &languages.find("fr-CA").unwrap().words;
        assert_eq!(french.sign_in, "Se connecter");
        assert_eq!(french.sign_up, languages.find("en").unwrap().words.sign_up);
        assert_eq!(languages.find("de").unwrap().words.sign_in, "Einloggen");
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[0].contains("fr.json: `account_of` has no value `{mail}`"));
        assert!(warnings[1].contains("fr.json: no page has a text `nonsense`"));
        assert!(warnings[2].contains("fr.json lacks"));
    }

    #[test]
    fn the_language_is_the_chosen_or_the_preferred_one() {
        let (languages, _) = Languages::load(&BTreeMap::new()).unwrap();
        for (chosen, accepted, expected) in [
            (None, None, "en"),
            (None, Some("de"), "de"),
            (None, Some("fr;q=0.9, de-AT;q=0.8, en;q=0.1"), "de"),
            (None, Some("en;q=0, de;q=0.5"), "de"),
            (None, Some("*"), "en"),
            (None, Some("\u{1}de"), "en"),
            (Some("en"), Some("de"), "en"),
            (Some("xx"), Some("de"), "de"),
        ] {
            let language = languages.choose(chosen, accepted);
            assert_eq!(language.code, expected, "{chosen:?} {accepted:?}");
        }
        assert_eq!(preferences("a;q=0.1,b;q=x,c"), ["c", "a"]);
    }

    #[test]
    fn values_are_filled_in_once() {
        let values = [("email", "{site}"), ("site", "inn")];
        assert_eq!(fill("{email} at {site}{x}", &values), "{site} at inn");
        assert_eq!(fill("a { b", &values), "a { b");
    }

    #[test]
    fn durations_have_the_unit_that_people_use() {
        let (languages, _) = Languages::load(&BTreeMap::new()).unwrap();
        let words = &languages.find("en").unwrap().words;
        for (seconds, text) in [
            (0, "1 second"),
            (59, "59 seconds"),
            (90, "90 seconds"),
            (91, "2 minutes"),
            (3600, "60 minutes"),
            (5401, "2 hours"),
        ] {
            assert_eq!(words.duration(seconds), text);
        }
    }
}
