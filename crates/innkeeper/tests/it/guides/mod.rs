//! Every command of the README and of the guides is typed, as a reader would type it.
//!
//! Each page gets a folder with a running `innkeeper up`, and its blocks of `sh` are run in order by one
//! shell after the other that know the variables of those before. What differs from a reader's machine is
//! put in: free ports instead of the usual ones, and the code of the newest mail instead of the one that is
//! printed. Words behind `sh` say how a block is run:
//!
//! - `no-run: reason` is not run;
//! - `serve` runs until the end of the page, which goes on once it listens.

mod page;
mod reader;

use page::{Block, How, Page};
use reader::Reader;

/// Reads a page to its end.
async fn read(path: &str) {
    let page = Page::open(path);
    let mut reader = Reader::sit_down().await;
    for block in &page.blocks {
        match &block.how {
            How::Run => reader.types(block).await,
            How::Serve => reader.serves(block).await,
            How::File(name) => reader.writes(name, block),
            How::Not => {}
        }
    }
    reader.gets_up().await;
}

macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        const PAGES: &[&str] = &[$($path),*];
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
    the_guide_to_status_works "docs/hosting/status.md"
    the_guide_to_the_widget_works "docs/hosting/widget.md"
    the_guide_to_backups_works "docs/operations/backup.md"
    the_guide_to_keys_works "docs/operations/keys.md"
}

/// A page that nobody reads in a test has nothing to type.
#[test]
fn commands_of_all_other_pages_say_why_they_are_not_run() {
    let mut found = 0;
    for path in page::all() {
        if PAGES.contains(&path.as_str()) {
            found += 1;
            continue;
        }
        for Block { line, how, .. } in Page::open(&path).blocks {
            assert!(!matches!(how, How::Run | How::Serve), "{path}:{line}");
        }
    }
    assert_eq!(found, PAGES.len());
}
