//! Checks of pages for accessibility, by axe in the browser.

use std::path::Path;

use serde_json::json;

use crate::browser::Browser;

impl Browser {
    /// Checks a page on a wide and a narrow screen, in both colour schemes: nothing is wider than the screen, and
    /// axe finds nothing. Saves what it looks like.
    pub(crate) async fn check_page(&mut self, folder: &Path, page: &str) {
        for width in [1280, 360] {
            for scheme in ["light", "dark"] {
                self.emulate(width, scheme).await;
                let name = format!("{page}-{width}-{scheme}");
                self.screenshot(&folder.join(format!("{name}.png"))).await;
                // On a narrow screen, `innerWidth` grows with what does not fit.
                let fits = format!("document.documentElement.scrollWidth <= {width}");
                assert_eq!(self.evaluate(&fits).await, true, "{name}");
                assert_eq!(self.violations().await, json!([]), "{name}");
            }
        }
    }
}
