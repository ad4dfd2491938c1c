//! The script: cases from the data files in `compare/`, in their order.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, bail};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Method;
use serde::Deserialize;

/// The version of the API that clients ask for by a header.
const VERSION: &str = "2024-01-01";

/// The data files. Each is a story of its own: its variables do not reach other files.
const FILES: [(&str, &str); 13] = [
    ("meta", include_str!("../../../compare/meta.toml")),
    ("bodies", include_str!("../../../compare/bodies.toml")),
    ("signup", include_str!("../../../compare/signup.toml")),
    ("token", include_str!("../../../compare/token.toml")),
    ("bearer", include_str!("../../../compare/bearer.toml")),
    ("user", include_str!("../../../compare/user.toml")),
    ("logout", include_str!("../../../compare/logout.toml")),
    ("verify", include_str!("../../../compare/verify.toml")),
    ("mails", include_str!("../../../compare/mails.toml")),
    ("admin", include_str!("../../../compare/admin.toml")),
    ("links", include_str!("../../../compare/links.toml")),
    ("factors", include_str!("../../../compare/factors.toml")),
    ("features", include_str!("../../../compare/features.toml")),
];

/// All cases, by file.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) stories: Vec<Vec<Case>>,
    /// Prefixes of the cases that are compared; the others of a story are sent because these build on them.
    only: Vec<String>,
    /// A hash of the files, so that a recording of other cases is noticed.
    pub(super) version: String,
}

/// One request and what is kept of its answer.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) method: Method,
    /// With its query.
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Option<String>,
    /// Variable to place in the answer.
    pub(super) captures: BTreeMap<String, String>,
    /// Whether the answer 429 belongs to the case.
    pub(super) is_limited: bool,
    /// Distinguishes the two runs of a case that is sent with and without the version header.
    pub(super) tag: &'static str,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    request: String,
    /// The variable that holds the bearer token.
    #[serde(rename = "as")]
    bearer: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    #[serde(default)]
    capture: BTreeMap<String, String>,
    #[serde(default)]
    version: Versions,
    #[serde(default)]
    limited: bool,
}

/// Which API versions a case is sent for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Versions {
    #[default]
    #[serde(rename = "none")]
    None,
    #[serde(rename = "2024-01-01")]
    Dated,
    #[serde(rename = "both")]
    Both,
}

impl Script {
    /// Reads the files that are part of the program.
    pub(super) fn embedded() -> anyhow::Result<Self> {
        let stories = FILES.iter().map(|(name, text)| story(name, text));
        let stories = stories.collect::<anyhow::Result<Vec<_>>>()?;
        let all: String = FILES.iter().map(|(_, text)| *text).collect();
        let hash = digest(&SHA256, all.as_bytes());
        Ok(Self {
            stories,
            only: Vec::new(),
            version: BASE64_URL_SAFE_NO_PAD.encode(hash),
        })
    }

    /// Keeps the stories that have a case whose name begins with one of the prefixes.
    pub(super) fn only(mut self, prefixes: &[String]) -> anyhow::Result<Self> {
        self.only = prefixes.to_vec();
        let mut stories = std::mem::take(&mut self.stories);
        stories.retain(|story| story.iter().any(|case| self.compares(case)));
        if stories.is_empty() {
            bail!(
                "no case has a name that begins with {}",
                prefixes.join(" or ")
            );
        }
        self.stories = stories;
        Ok(self)
    }

    /// Whether the answers of a case are compared.
    pub(super) fn compares(&self, case: &Case) -> bool {
        self.only.is_empty() || self.only.iter().any(|prefix| case.name.starts_with(prefix))
    }

    /// Returns all cases in their order.
    pub(super) fn cases(&self) -> impl Iterator<Item = &Case> {
        self.stories.iter().flatten()
    }

    /// Returns the names of the compared cases, a line each.
    pub(super) fn names(&self) -> String {
        let cases = self.cases().filter(|case| self.compares(case));
        let mut names = String::new();
        for case in cases {
            // Writing to a string cannot fail.
            let _ = writeln!(names, "{:<52}{} {}", case.name, case.method, case.path);
        }
        names
    }
}

/// Reads the cases of one file.
fn story(file: &str, text: &str) -> anyhow::Result<Vec<Case>> {
    let parsed: File = toml::from_str(text).with_context(|| format!("{file}.toml is broken"))?;
    let mut cases = Vec::new();
    for entry in parsed.case {
        let versions: &[bool] = match entry.version {
            Versions::None => &[false],
            Versions::Dated => &[true],
            Versions::Both => &[false, true],
        };
        for is_dated in versions {
            let case = Case::new(file, &entry, *is_dated);
            cases.push(case.with_context(|| format!("{file}.toml, case {}", entry.name))?);
        }
    }
    Ok(cases)
}

impl Case {
    fn new(file: &str, entry: &Entry, is_dated: bool) -> anyhow::Result<Self> {
        let (method, path) = entry
            .request
            .split_once(' ')
            .filter(|(_, path)| path.starts_with('/'))
            .context("a request is a method and a path")?;
        let mut headers: BTreeMap<String, String> = entry
            .headers
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.clone()))
            .collect();
        if entry.body.is_some() {
            headers
                .entry("content-type".to_owned())
                .or_insert_with(|| "application/json".to_owned());
        }
        if let Some(variable) = &entry.bearer {
            headers.insert(
                "authorization".to_owned(),
                format!("Bearer ${{{variable}}}"),
            );
        }
        let mut name = format!("{file}.{}", entry.name);
        if is_dated {
            headers.insert("x-supabase-api-version".to_owned(), VERSION.to_owned());
            if entry.version == Versions::Both {
                name = format!("{name}@{VERSION}");
            }
        }
        Ok(Self {
            name,
            method: method.parse().context("unknown method")?,
            path: path.to_owned(),
            headers,
            body: entry.body.clone(),
            captures: entry.capture.clone(),
            is_limited: entry.limited,
            tag: if is_dated { "dated" } else { "plain" },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Script, story};

    #[test]
    fn the_files_have_at_least_150_cases_with_names_of_their_own() {
        let script = Script::embedded().unwrap();
        let names: BTreeSet<_> = script.cases().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), script.cases().count());
        assert!(names.len() >= 150, "{}", names.len());
    }

    #[test]
    fn a_case_for_both_versions_is_sent_twice() {
        let text = "[[case]]\nname = 'x'\nrequest = 'GET /user'\nas = 'ada'\nversion = 'both'\n";
        let cases = story("user", text).unwrap();
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["user.x", "user.x@2024-01-01"]);
        for (case, version) in cases.iter().zip([None, Some("2024-01-01")]) {
            let header = case.headers.get("x-supabase-api-version");
            assert_eq!(header.map(String::as_str), version);
            assert_eq!(case.headers["authorization"], "Bearer ${ada}");
        }
    }

    #[test]
    fn mistakes_in_a_file_are_told_with_its_name() {
        for (text, reason) in [
            ("[[case]]\nname = 'x'\n", "missing field `request`"),
            (
                "[[case]]\nname = 'x'\nrequest = 'GET /'\nbdoy = ''\n",
                "bdoy",
            ),
            (
                "[[case]]\nname = 'x'\nrequest = 'GET'\n",
                "method and a path",
            ),
            (
                "[[case]]\nname = 'x'\nrequest = 'G{T /'\n",
                "unknown method",
            ),
        ] {
            let error = format!("{:#}", story("user", text).unwrap_err());
            assert!(error.contains("user.toml"), "{error}");
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_prefix_keeps_the_stories_it_is_found_in() {
        let all = Script::embedded().unwrap();
        let some = Script::embedded()
            .unwrap()
            .only(&["signup.".to_owned()])
            .unwrap();
        assert!(some.cases().count() <= all.cases().count());
        assert!(some.cases().all(|case| case.name.starts_with("signup.")));
        let error = Script::embedded().unwrap().only(&["nothing.".to_owned()]);
        assert!(error.unwrap_err().to_string().contains("nothing."));
    }
}
