//! Highlights code with CSS classes, few enough that a site can style them all.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

/// Longer code, or code with longer lines, is not highlighted: grammars can be slow on it.
const LONGEST_BLOCK: usize = 64 * 1024;
const LONGEST_LINE: usize = 2 * 1024;
/// The longest text between tags in code that is not highlighted.
const LONGEST_PIECE: usize = 1024;

/// The grammars, while articles are rendered: they take megabytes of memory.
static GRAMMARS: Mutex<Option<Arc<SyntaxSet>>> = Mutex::new(None);

fn lock_grammars() -> MutexGuard<'static, Option<Arc<SyntaxSet>>> {
    // A panic cannot leave it half changed.
    GRAMMARS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn grammars() -> Arc<SyntaxSet> {
    let mut loaded = lock_grammars();
    Arc::clone(loaded.get_or_insert_with(|| Arc::new(SyntaxSet::load_defaults_newlines())))
}

pub(super) fn forget_grammars() {
    *lock_grammars() = None;
}

/// The class of each scope of tokens; the first one that matches is used.
const CLASSES: &[(&str, &str)] = &[
    ("comment", "hl-comment"),
    ("string", "hl-string"),
    ("constant.character", "hl-string"),
    ("constant.numeric", "hl-number"),
    ("constant", "hl-constant"),
    ("keyword.operator", "hl-operator"),
    ("keyword", "hl-keyword"),
    ("storage", "hl-keyword"),
    ("entity.name.function", "hl-function"),
    ("support.function", "hl-function"),
    ("variable.function", "hl-function"),
    ("entity.name.tag", "hl-tag"),
    ("entity.other.attribute-name", "hl-attribute"),
    ("entity.name", "hl-type"),
    ("support", "hl-type"),
    ("variable", "hl-variable"),
    ("markup.inserted", "hl-inserted"),
    ("markup.deleted", "hl-deleted"),
    ("markup.heading", "hl-heading"),
];

static SCOPES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    let scopes = CLASSES.iter();
    scopes
        .filter_map(|(name, class)| Some((Scope::new(name).ok()?, *class)))
        .collect()
});

/// Returns the language that the info string of a code block names.
pub(super) fn language(info: &str) -> &str {
    info.split([' ', ',', '{', '\t']).next().unwrap_or_default()
}

/// Returns a block of code as HTML.
pub(super) fn block(language: &str, code: &str) -> String {
    let mut html = String::with_capacity(code.len() * 2);
    html.push_str("\n<pre><code");
    if !language.is_empty() {
        html.push_str(" class=\"language-");
        escape(language, &mut html);
        html.push('"');
    }
    html.push('>');
    let too_long = code.len() > LONGEST_BLOCK || code.lines().any(|line| line.len() > LONGEST_LINE);
    let name = grammar_name(language).filter(|_| !too_long);
    let is_highlighted = name.is_some_and(|name| highlighted(name, code, &mut html));
    if !is_highlighted {
        plain(code, &mut html);
    }
    html.push_str("</code></pre>\n");
    html
}

/// Writes code without highlighting, in pieces: the sanitizer is slow on long texts with many escapes.
fn plain(code: &str, html: &mut String) {
    let mut piece = 0;
    for line in code.split_inclusive('\n') {
        if piece + line.len() > LONGEST_PIECE && piece > 0 {
            html.push_str("<span></span>");
            piece = 0;
        }
        piece += line.len();
        escape(line, html);
    }
}

/// Returns the name of a language's grammar; `None` if it is not highlighted.
fn grammar_name(language: &str) -> Option<&str> {
    Some(match language {
        "" | "text" | "plain" | "plaintext" | "txt" => return None,
        "shell" | "console" | "shellscript" => "bash",
        "jsonc" => "json",
        "yml" => "yaml",
        other => other,
    })
}

/// Writes highlighted code; returns false if there is no grammar for the language.
fn highlighted(language: &str, code: &str, html: &mut String) -> bool {
    let grammars = grammars();
    let Some(grammar) = grammars.find_syntax_by_token(language) else {
        return false;
    };
    let mut state = ParseState::new(grammar);
    let mut stack = ScopeStack::new();
    let mut spans = SpanWriter { html, class: "" };
    for line in code.split_inclusive('\n') {
        let Ok(changes) = state.parse_line(line, &grammars) else {
            spans.write("", line);
            continue;
        };
        let mut done = 0;
        for (offset, change) in changes {
            if offset > done {
                spans.write(class_of(&stack), line.get(done..offset).unwrap_or_default());
                done = offset;
            }
            // A grammar that pops more scopes than it pushed is confused; only the colours suffer.
            let _ = stack.apply(&change);
        }
        spans.write(class_of(&stack), line.get(done..).unwrap_or_default());
    }
    spans.close();
    true
}

fn class_of(stack: &ScopeStack) -> &'static str {
    let class = |scope: &Scope| {
        let known = SCOPES.iter().find(|(known, _)| known.is_prefix_of(*scope));
        known.map(|(_, class)| *class)
    };
    stack.as_slice().iter().rev().find_map(class).unwrap_or("")
}

/// Writes tokens, and merges neighbours of the same class into one span.
struct SpanWriter<'h> {
    html: &'h mut String,
    class: &'static str,
}

impl SpanWriter<'_> {
    fn write(&mut self, class: &'static str, text: &str) {
        // Whitespace has no colour, so it joins the token before it.
        let is_space = text.chars().all(char::is_whitespace);
        if class != self.class && !(is_space && self.class.is_empty()) {
            self.close();
            if !class.is_empty() {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
            }
            self.class = class;
        }
        escape(text, self.html);
    }

    fn close(&mut self) {
        if !self.class.is_empty() {
            self.html.push_str("</span>");
            self.class = "";
        }
    }
}

fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
}
