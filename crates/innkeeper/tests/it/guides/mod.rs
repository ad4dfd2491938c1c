//! Runs every command of the README and of the guides.
//!
//! Each page gets a folder with a running `innkeeper up`. Its blocks of `sh` are run in order, each by a new
//! shell with the variables of the earlier ones. Texts that differ from a reader's machine are replaced:
//! free ports instead of the usual ones, and the code in the newest mail instead of the printed one. Words
//! after `sh` say how a block is run:
//!
//! - `no-run: reason`: it is not run;
//! - `serve`: it runs until the end of the page, which continues once it listens;
//! - `background`: it runs until the end of the page, which continues at once.

mod notes; // the page of the guide to row-level security, in a browser
mod page;
mod reader;

use page::{Block, BlockAction, Page};
use reader::GuideReader;

/// Runs all blocks of a page.
async fn read(path: &str) {
    read_on(path).await.stop().await;
}

/// Runs all blocks of a page, and leaves what they started running.
async fn read_on(path: &str) -> GuideReader {
    let page = Page::open(path);
    let mut reader = GuideReader::start(page.uses_machines()).await;
    for block in &page.blocks {
        match &block.action {
            BlockAction::Run => reader.run(block).await,
            BlockAction::Serve => reader.serve(block).await,
            BlockAction::Background => reader.run_in_background(block).await,
            BlockAction::File(name) => reader.write(name, block),
            BlockAction::Skip => {}
        }
    }
    reader
}

macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        const PAGES: &[&str] = &[notes::GUIDE, $($path),*];
        $(
            #[tokio::test]
            async fn $name() {
                read($path).await;
            }
        )*
    };
}

pages! {
    the_readme_works "README.md"
    the_auth_quick_start_works "docs/auth/quick-start.md"
    the_hosting_quick_start_works "docs/hosting/quick-start.md"
    the_guide_to_content_works "docs/hosting/content.md"
    the_guide_to_customers_and_keys_works "docs/hosting/keys.md"
    the_guide_to_machines_works "docs/hosting/machines.md"
    the_guide_to_status_works "docs/hosting/status.md"
    the_guide_to_the_widget_works "docs/hosting/widget.md"
    the_guide_to_backups_works "docs/operations/backup.md"
    the_guide_to_keys_works "docs/operations/keys.md"
}

/// Commands of pages without a test must be marked as not run.
#[test]
fn commands_of_all_other_pages_say_why_they_are_not_run() {
    let mut found = 0;
    for path in page::all() {
        if PAGES.contains(&path.as_str()) {
            found += 1;
            continue;
        }
        for Block { line, action, .. } in Page::open(&path).blocks {
            assert!(
                !matches!(
                    action,
                    BlockAction::Run | BlockAction::Serve | BlockAction::Background
                ),
                "{path}:{line}"
            );
        }
    }
    assert_eq!(found, PAGES.len());
}
