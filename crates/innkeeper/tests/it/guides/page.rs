//! A page of the documentation, and what it tells the reader to type.

use std::fs;
use std::path::{Path, PathBuf};

/// Where pages are, besides the README.
const FOLDERS: [&str; 3] = ["docs/auth", "docs/hosting", "docs/operations"];

/// The blocks of a page, in order.
pub(super) struct Page {
    pub(super) blocks: Vec<Block>,
}

pub(super) struct Block {
    /// `docs/auth/quick-start.md:17`
    pub(super) place: String,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) how: How,
}

/// What a reader does with a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum How {
    Run,
    Serve,
    /// It is written into a file of this name.
    File(String),
    Not,
}

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages for readers; those for contributors and about decisions are none.
pub(super) fn all() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "docs/security.md".to_owned()];
    for folder in FOLDERS {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_name().unwrap().to_str().unwrap();
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages
}

impl Page {
    pub(super) fn open(path: &str) -> Self {
        let text = fs::read_to_string(repository().join(path)).unwrap();
        let mut blocks = Vec::new();
        let mut lines = text.lines().enumerate();
        let mut before = "";
        while let Some((number, line)) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                if !line.is_empty() {
                    before = line;
                }
                continue;
            };
            // A fence of four ends with four.
            let fence = if info.starts_with('`') { "````" } else { "```" };
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != fence)
                .collect();
            let place = format!("{path}:{}", number + 1);
            let how = how(info.trim_start_matches('`'), before, &place);
            blocks.push(Block {
                place,
                line: number + 1,
                text: body.join("\n") + "\n",
                how,
            });
            before = "";
        }
        Self { blocks }
    }
}

fn how(info: &str, before: &str, place: &str) -> How {
    let (language, words) = info.split_once(' ').unwrap_or((info, ""));
    match (language, words) {
        ("sh", "") => How::Run,
        ("sh", "serve") => How::Serve,
        ("sh", words) => {
            let reason = words.strip_prefix("no-run: ").unwrap_or_default();
            assert!(!reason.trim().is_empty(), "{place}: why is it not run?");
            How::Not
        }
        // The line before it names the file, and nothing else: `inn.mjs`:
        _ => {
            let name = before
                .strip_prefix('`')
                .and_then(|name| name.strip_suffix("`:"));
            name.map_or(How::Not, |name| How::File(name.to_owned()))
        }
    }
}
