//! Text in HTML, and the page for addresses that do not exist.

mod not_found;

use std::fmt::{self, Write as _};

pub use not_found::NotFoundPage;

/// A text that is escaped for HTML when it is displayed: between tags, and in attributes with quotes.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a>(
    /// The text as it is.
    pub &'a str,
);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Escaped;

    #[test]
    fn no_text_ends_a_tag_or_an_attribute() {
        let text = "</pre><img src=x onerror='a()' title=\"&amp;\"> ä €";
        assert_eq!(
            Escaped(text).to_string(),
            "&lt;/pre&gt;&lt;img src=x onerror=&#39;a()&#39; title=&quot;&amp;amp;&quot;&gt; ä €"
        );
    }
}
