//! A page of the documentation and its code blocks.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of pages.
const FOLDERS: [&str; 3] = ["docs/auth", "docs/hosting", "docs/operations"];

/// The blocks of a page, in order.
pub(super) struct Page {
    pub(super) blocks: Vec<Block>,
}

pub(super) struct Block {
    /// `docs/auth/quick-start.md:17`
    pub(super) location: String,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) action: BlockAction,
}

/// The action for a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockAction {
    Run,
    Serve,
    /// Runs until the end of the page, which goes on at once.
    Background,
    /// Written to a file of this name.
    File(String),
    Skip,
}

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns all pages for users, without those for contributors and the decision records.
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
    /// Tells whether its commands use the demo machines.
    pub(super) fn uses_machines(&self) -> bool {
        let mut blocks = self.blocks.iter();
        blocks.any(|block| block.action == BlockAction::Run && block.text.contains("/demo-"))
    }

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
            // A fence of four backticks ends with four.
            let fence = if info.starts_with('`') { "````" } else { "```" };
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != fence)
                .collect();
            let location = format!("{path}:{}", number + 1);
            let action = action(info.trim_start_matches('`'), before, &location);
            blocks.push(Block {
                location,
                line: number + 1,
                text: body.join("\n") + "\n",
                action,
            });
            before = "";
        }
        Self { blocks }
    }
}

fn action(info: &str, before: &str, location: &str) -> BlockAction {
    let (language, words) = info.split_once(' ').unwrap_or((info, ""));
    match (language, words) {
        ("sh", "") => BlockAction::Run,
        ("sh", "serve") => BlockAction::Serve,
        ("sh", "background") => BlockAction::Background,
        ("sh", words) => {
            let reason = words.strip_prefix("no-run: ").unwrap_or_default();
            assert!(!reason.trim().is_empty(), "{location}: why is it not run?");
            BlockAction::Skip
        }
        // The line before it names the file, and nothing else: `inn.mjs`:
        _ => {
            let name = before
                .strip_prefix('`')
                .and_then(|name| name.strip_suffix("`:"));
            name.map_or(BlockAction::Skip, |name| BlockAction::File(name.to_owned()))
        }
    }
}
