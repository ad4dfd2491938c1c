//! The languages of the pages. Each is a file of texts: those of English and German are part of the program.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub(super) use super::word_list::Words;
use crate::config::is_locale;

const ENGLISH: &str = include_str!("words/en.json");
const GERMAN: &str = include_str!("words/de.json");

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
            let words = Words::take(all)?;
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

    use super::{ENGLISH, GERMAN, Languages, Words, fill, names, preferences};

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
    fn a_language_has_all_texts_and_no_others() {
        let english: Map<String, Value> = serde_json::from_str(ENGLISH).unwrap();
        assert!(Words::take(english.clone()).is_ok());
        for (name, text, problem) in [
            ("sign_in", None, "missing field `sign_in`"),
            ("sign_in", Some(7.into()), "`sign_in` is not a text"),
            ("nonsense", Some("x".into()), "unknown field `nonsense`"),
        ] {
            let mut texts = english.clone();
            texts.remove(name);
            texts.extend(text.map(|text| (name.to_owned(), text)));
            let refused = Words::take(texts).unwrap_err().to_string();
            assert!(refused.starts_with(problem), "{refused}");
        }
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
