//! Rewrites the messages of a connection so that nothing depends on the session between two transactions.
//!
//! The driver prepares a statement once, by name, and executes it many times; the server's session has the
//! search path. Behind a pooler both may be gone, or belong to somebody else, in the next transaction. So
//! names stay on this side: a statement is sent again, unnamed, in front of each execution, and each
//! transaction begins by setting the search path for itself. All of that is one round trip, as before. The
//! answers to what was added are removed, and the driver notices nothing.
//!
//! Simple queries outside of a transaction are passed on unchanged. They must not name a table.
//!
//! A pooler looks for another session as soon as a transaction ends. PgBouncer does so even when it has passed
//! on the beginning of the client's next messages, and the rest of them reaches another session. So nothing
//! follows the end of a transaction before the server has answered it.

use std::collections::{HashMap, VecDeque};

use bytes::{BufMut, BytesMut};

/// The messages of the backend that answer the statement for the search path: parsed, bound, a row, done.
const SEARCH_PATH_ANSWERS: u8 = 4;

/// The bytes in front of a message's body: its kind and its length.
pub(super) const HEADER: usize = 5;

/// Rewrites the messages of one connection.
#[derive(Debug)]
pub(super) struct Rewriter {
    /// The messages that set the search path of the current transaction.
    set_search_path: Vec<u8>,
    /// The same as the end of a simple query.
    begin_suffix: Vec<u8>,
    /// The statements that the driver has prepared, by name: query and types as in `Parse`.
    statements: HashMap<Vec<u8>, Vec<u8>>,
    /// The named statement that the server has as the unnamed one.
    current: Option<Vec<u8>>,
    is_in_transaction: bool,
    unfinished: Option<MessageGroup>,
    sent: VecDeque<MessageGroup>,
}

/// The messages up to a `Sync`, or a simple query: what one `ReadyForQuery` answers.
#[derive(Debug, Default)]
struct MessageGroup {
    /// How many answers to the statement for the search path are outstanding.
    search_path_answers: u8,
    /// For each `Parse`, whether it was added here.
    parses: VecDeque<bool>,
    /// Whether no transaction is open after it.
    ends_transaction: bool,
}

impl Rewriter {
    pub(super) fn new(schema: &str) -> Self {
        let name = schema.replace('"', "\"\"");
        let literal = format!("\"{name}\"").replace('\'', "''");
        let query = format!("select pg_catalog.set_config('search_path', '{literal}', true)\0\0\0");
        let mut set_search_path = Vec::new();
        put(&mut set_search_path, b'P', &[b"\0", query.as_bytes()]);
        // No portal name, no statement name, and no formats, parameters or result formats.
        put(&mut set_search_path, b'B', &[&[0; 8]]);
        put(&mut set_search_path, b'E', &[&[0; 5]]);
        Self {
            set_search_path,
            begin_suffix: format!("; set local search_path to \"{name}\"\0").into_bytes(),
            statements: HashMap::new(),
            current: None,
            is_in_transaction: false,
            unfinished: None,
            sent: VecDeque::new(),
        }
    }

    /// Adds what the server gets instead of a message of the driver.
    pub(super) fn rewrite(&mut self, message: &[u8], out: &mut BytesMut) {
        let (Some(&kind), Some(body)) = (message.first(), message.get(HEADER..)) else {
            return out.extend_from_slice(message);
        };
        match kind {
            b'P' => self.parse(message, body, out),
            b'B' => self.bind(message, body, out),
            b'D' | b'C' => self.describe_or_close(message, body, out),
            b'Q' => self.simple_query(message, body, out),
            b'S' => {
                let mut group = self.unfinished.take().unwrap_or_default();
                group.ends_transaction = !self.is_in_transaction;
                self.sent.push_back(group);
                self.current = None;
                out.extend_from_slice(message);
            }
            _ => out.extend_from_slice(message),
        }
    }

    /// Whether the next message of the driver has to wait for an answer of the server.
    pub(super) fn awaits_answer(&self) -> bool {
        self.sent.back().is_some_and(|group| group.ends_transaction)
    }

    /// Whether the driver gets a message of the server. The others answer what was added here.
    pub(super) fn passes(&mut self, kind: u8) -> bool {
        if kind == b'Z' {
            self.sent.pop_front();
            return true;
        }
        // The answer may arrive before the driver has sent its `Sync`.
        let Some(group) = self.sent.front_mut().or(self.unfinished.as_mut()) else {
            return true;
        };
        match kind {
            b'1' | b'2' | b'D' | b'C' if group.search_path_answers > 0 => {
                group.search_path_answers -= 1;
                false
            }
            b'1' => group.parses.pop_front() != Some(true),
            b'E' => {
                // The server skips the rest of the group.
                group.search_path_answers = 0;
                group.parses.clear();
                true
            }
            _ => true,
        }
    }

    fn parse(&mut self, message: &[u8], body: &[u8], out: &mut BytesMut) {
        self.begin_group(out).parses.push_back(false);
        let Some((name, rest)) = split_text(body).filter(|(name, _)| !name.is_empty()) else {
            self.current = None;
            return out.extend_from_slice(message);
        };
        self.statements.insert(name.to_vec(), rest.to_vec());
        self.current = Some(name.to_vec());
        put(out, b'P', &[b"\0", rest]);
    }

    fn bind(&mut self, message: &[u8], body: &[u8], out: &mut BytesMut) {
        self.begin_group(out);
        let names = split_text(body)
            .and_then(|(portal, rest)| split_text(rest).map(|(name, rest)| (portal, name, rest)));
        match names {
            Some((portal, name, rest)) if self.parse_again(name, out) => {
                put(out, b'B', &[portal, b"\0\0", rest]);
            }
            _ => out.extend_from_slice(message),
        }
    }

    fn describe_or_close(&mut self, message: &[u8], body: &[u8], out: &mut BytesMut) {
        let name = body.strip_prefix(b"S").and_then(split_text);
        let name = name.map(|(name, _)| name).filter(|name| !name.is_empty());
        match (message.first(), name) {
            (Some(b'D'), Some(name)) => {
                self.begin_group(out);
                if self.parse_again(name, out) {
                    put(out, b'D', &[b"S\0"]);
                } else {
                    out.extend_from_slice(message);
                }
            }
            (Some(b'C'), Some(name)) if self.statements.remove(name).is_some() => {
                self.current = None;
                put(out, b'C', &[b"S\0"]);
            }
            _ => out.extend_from_slice(message),
        }
    }

    /// Follows the beginning and the end of transactions, which the driver sends as simple queries.
    fn simple_query(&mut self, message: &[u8], body: &[u8], out: &mut BytesMut) {
        let text = body.strip_suffix(b"\0").unwrap_or(body).trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text);
        let mut words = text.split(u8::is_ascii_whitespace);
        let first = words.next().unwrap_or_default().to_ascii_lowercase();
        let second = words.next().unwrap_or_default().to_ascii_lowercase();
        let is_several = text.contains(&b';');
        let mut is_begin = false;
        match first.as_slice() {
            _ if is_several => {}
            b"begin" | b"start" => {
                self.is_in_transaction = true;
                is_begin = true;
            }
            b"rollback" if second == b"to" => {}
            b"commit" | b"rollback" | b"end" | b"abort" => self.is_in_transaction = false,
            _ => {}
        }
        self.sent.push_back(MessageGroup {
            ends_transaction: is_several || !self.is_in_transaction,
            ..MessageGroup::default()
        });
        if is_begin {
            put(out, b'Q', &[text, &self.begin_suffix]);
        } else {
            out.extend_from_slice(message);
        }
    }

    /// Returns the group of the next message. The first message of a group outside of a transaction begins
    /// one, which the search path is set for.
    fn begin_group(&mut self, out: &mut BytesMut) -> &mut MessageGroup {
        let (set_search_path, is_in_transaction) = (&self.set_search_path, self.is_in_transaction);
        self.unfinished.get_or_insert_with(|| {
            let mut group = MessageGroup::default();
            if !is_in_transaction {
                out.extend_from_slice(set_search_path);
                group.search_path_answers = SEARCH_PATH_ANSWERS;
            }
            group
        })
    }

    /// Makes a statement of the driver the unnamed one. Returns whether there is such a statement.
    fn parse_again(&mut self, name: &[u8], out: &mut BytesMut) -> bool {
        if self.current.as_deref() == Some(name) {
            return true;
        }
        let Some(rest) = self.statements.get(name) else {
            return false;
        };
        put(out, b'P', &[b"\0", rest]);
        self.current = Some(name.to_vec());
        if let Some(group) = &mut self.unfinished {
            group.parses.push_back(true);
        }
        true
    }
}

/// Returns the length of the first message in a buffer, or `None` if it is not complete yet.
pub(super) fn message_length(buffer: &[u8]) -> Option<usize> {
    let length = buffer.get(1..HEADER)?.try_into().ok()?;
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    let length = length.max(HEADER - 1) + 1;
    (buffer.len() >= length).then_some(length)
}

/// Splits off a text that ends with a zero byte.
fn split_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// Adds a message.
fn put(out: &mut impl BufMut, kind: u8, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.put_u8(kind);
    out.put_u32(u32::try_from(length + HEADER - 1).unwrap_or(u32::MAX));
    for part in parts {
        out.put_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::{Rewriter, message_length, put};

    /// What the server gets for these messages, each as its kind and the printable part of its body.
    fn sent(rewriter: &mut Rewriter, messages: &[(u8, &str)]) -> Vec<String> {
        let mut out = BytesMut::new();
        for (kind, body) in messages {
            let mut message = BytesMut::new();
            put(&mut message, *kind, &[body.as_bytes()]);
            rewriter.rewrite(&message, &mut out);
        }
        let mut shown = Vec::new();
        while let Some(length) = message_length(&out) {
            let message = out.split_to(length);
            let body = String::from_utf8_lossy(&message[5..]).replace('\0', "·");
            shown.push(format!("{} {body}", char::from(message[0])));
        }
        assert!(out.is_empty());
        shown
    }

    /// The kinds of messages that the driver gets.
    fn received(rewriter: &mut Rewriter, kinds: &str) -> String {
        kinds
            .chars()
            .filter(|&kind| rewriter.passes(u8::try_from(kind).unwrap()))
            .collect()
    }

    const SET: [&str; 3] = [
        "P ·select pg_catalog.set_config('search_path', '\"auth\"', true)···",
        "B ········",
        "E ·····",
    ];

    const PREPARE: [(u8, &str); 3] = [(b'P', "s1\0select 1\0\0\0"), (b'D', "Ss1\0"), (b'S', "")];

    const EXECUTE: [(u8, &str); 3] = [
        (b'B', "\0s1\0\0\0\0\0\0\0"),
        (b'E', "\0\0\0\0\0"),
        (b'S', ""),
    ];

    #[test]
    fn names_stay_here_and_statements_are_sent_again() {
        let mut rewriter = Rewriter::new("auth");
        let mut expected = SET.to_vec();
        expected.extend(["P ·select 1···", "D S·", "S "]);
        assert_eq!(sent(&mut rewriter, &PREPARE), expected);
        assert_eq!(received(&mut rewriter, "12DC1tTZ"), "1tTZ");

        let mut expected = SET.to_vec();
        expected.extend(["P ·select 1···", "B ········", "E ·····", "S "]);
        assert_eq!(sent(&mut rewriter, &EXECUTE), expected);
        assert_eq!(received(&mut rewriter, "12DC12DCZ"), "2DCZ");
    }

    #[test]
    fn statements_may_follow_before_the_answers() {
        let mut rewriter = Rewriter::new("auth");
        for messages in [&PREPARE, &EXECUTE, &EXECUTE] {
            sent(&mut rewriter, messages);
        }
        // The second one fails: the server leaves out the rest of its group.
        let answers = "12DC1tTZ12DC1EZ12DC12DDCZ";
        assert_eq!(received(&mut rewriter, answers), "1tTZEZ2DDCZ");
        sent(&mut rewriter, &EXECUTE);
        assert_eq!(received(&mut rewriter, "ENZ"), "ENZ");
        assert_eq!(received(&mut rewriter, "NSA"), "NSA");
    }

    #[test]
    fn the_search_path_is_set_once_per_transaction() {
        let mut rewriter = Rewriter::new("a\"b");
        let begin = sent(&mut rewriter, &[(b'Q', "BEGIN\0")]);
        assert_eq!(begin, ["Q BEGIN; set local search_path to \"a\"\"b\"·"]);
        assert_eq!(received(&mut rewriter, "CCZ"), "CCZ");
        assert_eq!(
            sent(&mut rewriter, &PREPARE),
            ["P ·select 1···", "D S·", "S "]
        );
        assert_eq!(received(&mut rewriter, "1tTZ"), "1tTZ");
        for text in ["SAVEPOINT sp\0", "ROLLBACK TO sp\0"] {
            assert_eq!(
                sent(&mut rewriter, &[(b'Q', text)]),
                [format!("Q {}", text.replace('\0', "·"))]
            );
            assert_eq!(received(&mut rewriter, "CZ"), "CZ");
        }
        assert_eq!(sent(&mut rewriter, &EXECUTE).len(), 4);
        assert_eq!(received(&mut rewriter, "12CZ"), "2CZ");
        assert_eq!(sent(&mut rewriter, &[(b'Q', "COMMIT\0")]), ["Q COMMIT·"]);
        assert_eq!(received(&mut rewriter, "CZ"), "CZ");
        assert_eq!(sent(&mut rewriter, &EXECUTE).len(), 7);
    }

    #[test]
    fn what_follows_the_end_of_a_transaction_waits_for_the_answer() {
        let query = |text| [(b'Q', text)];
        let steps: [(&[(u8, &str)], bool); 9] = [
            (&EXECUTE, true),
            (&query("BEGIN\0"), false),
            (&EXECUTE, false),
            (&query("ROLLBACK TO sp\0"), false),
            (&query("COMMIT\0"), true),
            (&query("START TRANSACTION\0"), false),
            (&query("commit; begin\0"), true),
            (&query("ROLLBACK\0"), true),
            (&query("select 1\0"), true),
        ];
        let mut rewriter = Rewriter::new("auth");
        for (messages, awaits_answer) in steps {
            assert!(!rewriter.awaits_answer());
            sent(&mut rewriter, &messages[..messages.len() - 1]);
            assert!(!rewriter.awaits_answer());
            sent(&mut rewriter, &messages[messages.len() - 1..]);
            assert_eq!(rewriter.awaits_answer(), awaits_answer, "{messages:?}");
            // An error does not end the group.
            received(&mut rewriter, "E");
            assert_eq!(rewriter.awaits_answer(), awaits_answer, "{messages:?}");
            received(&mut rewriter, "Z");
        }
    }

    #[test]
    fn other_messages_are_unchanged() {
        let mut rewriter = Rewriter::new("auth");
        let texts = [
            (b'Q', "begin; select 1; commit\0"),
            (b'Q', "select 1\0"),
            (b'X', ""),
        ];
        assert_eq!(
            sent(&mut rewriter, &texts),
            ["Q begin; select 1; commit·", "Q select 1·", "X "]
        );
        // A statement that was never prepared gets the server's error.
        let unknown = sent(&mut rewriter, &[(b'B', "\0s9\0\0\0\0\0\0\0"), (b'S', "")]);
        assert_eq!(unknown[3..], ["B ·s9·······", "S "]);
    }

    #[test]
    fn a_closed_statement_is_forgotten() {
        let mut rewriter = Rewriter::new("auth");
        sent(&mut rewriter, &PREPARE);
        let closed = sent(&mut rewriter, &[(b'C', "Ss1\0"), (b'S', "")]);
        assert_eq!(closed, ["C S·", "S "]);
        assert_eq!(received(&mut rewriter, "12DC1tTZ3Z"), "1tTZ3Z");
        assert!(rewriter.statements.is_empty());
    }

    #[test]
    fn a_schema_cannot_break_out_of_its_quotes() {
        let mut rewriter = Rewriter::new("o'clock\"");
        let messages = sent(&mut rewriter, &EXECUTE);
        assert!(messages[0].contains("'\"o''clock\"\"\"'"), "{messages:?}");
    }
}
