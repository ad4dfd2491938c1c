//! Full-text search over title, description and text, ranked, in memory.

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer,
    TextAnalyzer, WhitespaceTokenizer,
};
use tantivy::{
    DocId, Index, IndexReader, IndexWriter, ReloadPolicy, Score, SegmentReader, TantivyDocument,
    TantivyError, Term,
};

const ANALYZER: &str = "articles";
/// For text that [`words`] has analyzed.
const ANALYZED: &str = "words";
const KEY: &str = "key";
/// How many words of a search are used; more add nothing.
const MAX_WORDS: usize = 16;
/// The memory of each indexing thread, in bytes.
const ARENA: usize = 32 * 1024 * 1024;

/// A full-text index in memory.
pub(crate) struct SearchIndex {
    index: Index,
    reader: IndexReader,
    fields: SearchFields,
}

#[derive(Debug, Clone, Copy)]
struct SearchFields {
    key: Field,
    title: Field,
    description: Field,
    text: Field,
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchIndex").finish_non_exhaustive()
    }
}

/// The parts of an article that are indexed.
pub(crate) struct SearchDocument<'a> {
    pub(crate) key: u64,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    /// The analyzed words of its text, from [`words`].
    pub(crate) words: &'a str,
}

impl SearchIndex {
    /// Creates an empty index.
    pub(crate) fn new() -> Result<Self, TantivyError> {
        let mut schema = Schema::builder();
        // Positions are only needed for phrases, and would double the size of the index.
        let indexing = |tokenizer| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(tokenizer)
                .set_index_option(IndexRecordOption::WithFreqs);
            TextOptions::default().set_indexing_options(indexing)
        };
        let fields = SearchFields {
            key: schema.add_u64_field(KEY, FAST | INDEXED),
            title: schema.add_text_field("title", indexing(ANALYZER)),
            description: schema.add_text_field("description", indexing(ANALYZER)),
            text: schema.add_text_field("text", indexing(ANALYZED)),
        };
        let index = Index::create_in_ram(schema.build());
        index.tokenizers().register(ANALYZER, analyzer());
        let words = WhitespaceTokenizer::default();
        index.tokenizers().register(ANALYZED, words);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        Ok(Self {
            index,
            reader,
            fields,
        })
    }

    /// Begins an update of the index with a number of threads.
    pub(crate) fn update(&self, threads: usize) -> Result<IndexUpdate<'_>, TantivyError> {
        let threads = threads.max(1);
        let writer = self
            .index
            .writer_with_num_threads(threads, threads * ARENA)?;
        Ok(IndexUpdate {
            search: self,
            writer,
        })
    }

    /// Returns the keys of the articles that contain all words, best match first; if there are none, of
    /// those that contain any. The key of an article that is being updated may occur twice.
    pub(crate) fn find(&self, words: &str) -> Result<Vec<u64>, TantivyError> {
        let words = words_of(words);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let mut found = searcher.search(&self.query(&words, Occur::Must), &RankedCollector)?;
        if found.is_empty() && words.len() > 1 {
            found = searcher.search(&self.query(&words, Occur::Should), &RankedCollector)?;
        }
        Ok(found.into_iter().map(|(key, _)| key).collect())
    }

    fn query(&self, words: &[String], each: Occur) -> BooleanQuery {
        let clauses = words.iter().map(|word| (each, self.word_query(word)));
        BooleanQuery::new(clauses.collect())
    }

    /// Returns a query for a word in any field. A match in the title counts more than one in the text.
    fn word_query(&self, word: &str) -> Box<dyn Query> {
        let SearchFields {
            title,
            description,
            text,
            ..
        } = self.fields;
        let clauses = [(title, 4.0), (description, 2.0), (text, 1.0)]
            .into_iter()
            .map(|(field, boost)| {
                let term = Term::from_field_text(field, word);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                let boosted: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(query), boost));
                (Occur::Should, boosted)
            });
        Box::new(BooleanQuery::new(clauses.collect()))
    }
}

/// Returns the first distinct words of a text as they are in the index.
fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut analyzer = analyzer();
    let mut tokens = analyzer.token_stream(text);
    while let Some(token) = tokens.next() {
        if words.len() < MAX_WORDS && !words.contains(&token.text) {
            words.push(token.text.clone());
        }
    }
    words
}

/// Returns all words of a text as they are in the index, separated by spaces.
pub(crate) fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut analyzer = analyzer();
    let mut tokens = analyzer.token_stream(text);
    while let Some(token) = tokens.next() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&token.text);
    }
    words
}

/// Returns the analyzer: lower case, without accents, stemmed. Whoever changes it must invalidate the
/// render cache, which holds analyzed words.
fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(60))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// An update of the index, which searches do not see before it is committed.
pub(crate) struct IndexUpdate<'s> {
    search: &'s SearchIndex,
    writer: IndexWriter,
}

impl IndexUpdate<'_> {
    pub(crate) fn add(&self, entry: &SearchDocument<'_>) -> Result<(), TantivyError> {
        let fields = self.search.fields;
        let mut document = TantivyDocument::default();
        document.add_u64(fields.key, entry.key);
        document.add_text(fields.title, entry.title);
        document.add_text(fields.description, entry.description);
        document.add_text(fields.text, entry.words);
        self.writer.add_document(document)?;
        Ok(())
    }

    pub(crate) fn remove(&self, key: u64) {
        let term = Term::from_field_u64(self.search.fields.key, key);
        self.writer.delete_term(term);
    }

    /// Makes the update visible to searches.
    pub(crate) fn commit(mut self) -> Result<PendingMerge, TantivyError> {
        self.writer.commit()?;
        self.search.reader.reload()?;
        Ok(PendingMerge {
            writer: self.writer,
            reader: self.search.reader.clone(),
        })
    }
}

/// A merge of index segments that runs in the background.
pub(crate) struct PendingMerge {
    writer: IndexWriter,
    reader: IndexReader,
}

impl PendingMerge {
    /// Waits for the merge and drops the merged segments.
    pub(crate) fn wait(self) -> Result<(), TantivyError> {
        self.writer.wait_merging_threads()?;
        self.reader.reload()
    }
}

/// Collects all matches with their scores, best first.
struct RankedCollector;

impl Collector for RankedCollector {
    type Fruit = Vec<(u64, Score)>;
    type Child = RankedSegmentCollector;

    fn for_segment(
        &self,
        _: u32,
        segment: &SegmentReader,
    ) -> tantivy::Result<RankedSegmentCollector> {
        Ok(RankedSegmentCollector {
            keys: segment.fast_fields().u64(KEY)?,
            found: Vec::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, parts: Vec<Vec<(u64, Score)>>) -> tantivy::Result<Vec<(u64, Score)>> {
        let mut found = parts.concat();
        found.sort_unstable_by(|(key, score), (other_key, other)| {
            other.total_cmp(score).then(key.cmp(other_key))
        });
        Ok(found)
    }
}

struct RankedSegmentCollector {
    keys: Column,
    found: Vec<(u64, Score)>,
}

impl SegmentCollector for RankedSegmentCollector {
    type Fruit = Vec<(u64, Score)>;

    fn collect(&mut self, document: DocId, score: Score) {
        if let Some(key) = self.keys.first(document) {
            self.found.push((key, score));
        }
    }

    fn harvest(self) -> Self::Fruit {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::{SearchDocument, SearchIndex, words};

    fn search() -> SearchIndex {
        let search = SearchIndex::new().unwrap();
        let update = search.update(1).unwrap();
        for (key, title, description, text) in [
            (
                1,
                "Moving a game server",
                "Worlds and mods",
                "Stop the server first.",
            ),
            (
                2,
                "Backups",
                "Where a game keeps its worlds",
                "Copy the folder. The game may run.",
            ),
            (
                3,
                "Prices",
                "What it costs",
                "A game costs nothing here. Résumé of moves.",
            ),
        ] {
            update
                .add(&SearchDocument {
                    key,
                    title,
                    description,
                    words: &words(text),
                })
                .unwrap();
        }
        update.commit().unwrap().wait().unwrap();
        search
    }

    fn keys(search: &SearchIndex, asked: &str) -> Vec<u64> {
        search.find(asked).unwrap()
    }

    #[test]
    fn a_word_of_the_title_ranks_above_one_of_the_text() {
        assert_eq!(keys(&search(), "game"), [1, 2, 3]);
    }

    #[test]
    fn all_words_must_be_there_unless_no_article_has_them() {
        assert_eq!(keys(&search(), "game folder"), [2]);
        assert_eq!(keys(&search(), "prices folder").len(), 2);
    }

    #[test]
    fn endings_accents_and_capitals_do_not_matter() {
        assert_eq!(keys(&search(), "RESUME"), [3]);
        assert_eq!(keys(&search(), "backup"), [2]);
        assert_eq!(keys(&search(), "moving"), [1, 3]);
    }

    #[test]
    fn no_text_is_too_strange_to_look_for() {
        let search = search();
        for words in [
            "",
            " ",
            "\"",
            "title:game",
            "game AND OR",
            "(((",
            "*",
            "[a TO z]",
            "\0",
            "a~1",
            "+",
            "名前",
        ] {
            search.find(words).unwrap();
        }
        let many = "word ".repeat(10_000);
        assert!(search.find(&many).unwrap().is_empty());
    }

    #[test]
    fn what_is_removed_is_not_found() {
        let search = search();
        let update = search.update(1).unwrap();
        update.remove(1);
        update.commit().unwrap().wait().unwrap();
        assert_eq!(keys(&search, "game"), [2, 3]);
    }
}
