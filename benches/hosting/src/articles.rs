//! Generated articles, and words to search for; the same in every run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

#[derive(Debug)]
pub(crate) struct Article {
    pub(crate) title: String,
    pub(crate) body: String,
    /// Its file in the folder of its kind.
    pub(crate) name: String,
    /// The file's text.
    pub(crate) file: String,
}

/// Paragraphs of an article and the words in each; two of its sections end with a block of code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) sections: usize,
    pub(crate) words: usize,
}

/// About 10 kB of source.
pub(crate) const USUAL: Size = Size {
    sections: 6,
    words: 96,
};

/// Writes articles into `folder`, the folder of their kind.
pub(crate) fn write(folder: &Path, count: usize, size: Size) -> Result<Vec<Article>> {
    let mut dice = Dice(1);
    let mut articles = Vec::new();
    for number in 0..count {
        let article = dice.article(number, size);
        let path = folder.join(&article.name);
        let shelf = path.parent().context("no folder")?;
        fs::create_dir_all(shelf).with_context(|| format!("creating {}", shelf.display()))?;
        fs::write(&path, &article.file).with_context(|| format!("writing {}", path.display()))?;
        articles.push(article);
    }
    Ok(articles)
}

/// Returns questions of one, two and three words; common ones and rare ones.
pub(crate) fn questions(count: usize) -> impl Iterator<Item = String> {
    let mut dice = Dice(7);
    (0..count).map(move |number| {
        let words = (0..=number % 3).map(|_| dice.word());
        words.collect::<Vec<_>>().join(" ")
    })
}

const CODE: &str = "```rust\n\
    /// Adds what is left of the credit to the account.\n\
    fn settle(account: &mut Account, credit: Option<u64>) -> Result<(), Error> {\n    \
        let amount = credit.unwrap_or(0); // cents\n    \
        account.balance += amount * 2 + 7;\n    \
        if account.balance > LIMIT { return Err(Error::TooMuch(\"limit\")); }\n    Ok(())\n}\n```\n\n";

/// A pseudo-random number generator, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Returns a word; a few are common and most are rare, as in any language.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] = [
            "ser", "ver", "back", "up", "do", "main", "pla", "net", "mo", "ra", "ti", "lu", "ken",
            "sto", "far", "gil",
        ];
        let range = 1 << (4 + self.roll() % 11);
        let mut number = self.roll() % range + 16;
        let mut word = String::new();
        while number > 0 {
            let syllable = usize::try_from(number % 16).unwrap_or_default();
            word.push_str(SYLLABLES.get(syllable).copied().unwrap_or_default());
            number /= 16;
        }
        word
    }

    fn article(&mut self, number: usize, size: Size) -> Article {
        let title = format!("{} {} {number}", self.word(), self.word());
        let mut body = String::new();
        for section in 0..size.sections {
            body += "\n## ";
            body += &self.word();
            body += "\n\n";
            for _ in 0..2 {
                for _ in 0..size.words {
                    body += &self.word();
                    body += " ";
                }
                body += "\n\n";
            }
            if section % 3 == 0 {
                body += CODE;
            }
        }
        let mut file = format!("---\ntitle: \"{title}\"\n");
        let (about, and) = (self.word(), self.word());
        let (day, category) = (number % 28 + 1, number % 12);
        // Writing to memory does not fail.
        let _ = write!(
            file,
            "description: About {about} and {and}.\ndate: 2026-01-{day:02}\ncategory: c{category}\n---\n{body}"
        );
        let name = format!("{}/a{number}.md", number % 50);
        Article {
            title,
            body,
            name,
            file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_article_has_10_kb_and_two_blocks_of_code() {
        let mut dice = Dice(1);
        let articles: Vec<_> = (0..50).map(|number| dice.article(number, USUAL)).collect();
        let bytes: usize = articles.iter().map(|article| article.file.len()).sum();
        assert!((9_800..10_500).contains(&(bytes / 50)), "{}", bytes / 50);
        assert_eq!(articles[0].file.matches("```rust").count(), 2);
    }
}
