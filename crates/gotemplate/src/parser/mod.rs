//! Builds the syntax tree and finds the mistakes in it.

mod pipeline;

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::mem;
use std::vec::IntoIter;

use crate::error::SyntaxError;
use crate::lexer::{Token, TokenKind};
use crate::limits::MAX_NESTING;
use crate::syntax::{Block, Branch, Node};
use crate::value::Value;

/// Words that begin or end an action and cannot be functions.
const KEYWORDS: [&str; 10] = [
    "if", "with", "range", "else", "end", "define", "block", "template", "break", "continue",
];

/// What a template is checked against when it is parsed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ParseOptions<'a> {
    /// The fields of the data. Any other name after the dot at the top of a template is a mistake; `None`
    /// allows all names.
    pub fields: Option<&'a [&'a str]>,
    /// The names of `define`d templates that are rendered with the whole data, by
    /// [`Template::render_defined`](crate::Template::render_defined). Their fields are checked too. Any other
    /// defined template gets the dot of its caller, which can be anything.
    pub entry_points: &'a [&'a str],
}

/// The main template and those that it defines.
type ParsedTemplate = (Block, BTreeMap<String, Block>);
type SyntaxResult<T> = Result<T, SyntaxError>;

pub(crate) fn parse(tokens: Vec<Token>, options: ParseOptions<'_>) -> SyntaxResult<ParsedTemplate> {
    let mut parser = Parser {
        end: tokens.last().map_or(0, |token| token.offset),
        tokens: tokens.into_iter().peekable(),
        options,
        defined: BTreeMap::new(),
        called: Vec::new(),
        scope: Scope::top(),
        depth: 0,
    };
    let (main, end) = parser.block()?;
    if let BlockEnd::Word(offset, word) = end {
        return Err(SyntaxError::new(offset, format!("unexpected `{word}`")));
    }
    for (offset, name) in &parser.called {
        if !parser.defined.contains_key(name) {
            let problem = format!("no template \"{name}\" is defined");
            return Err(SyntaxError::new(*offset, problem));
        }
    }
    Ok((main, parser.defined))
}

struct Parser<'o> {
    tokens: Peekable<IntoIter<Token>>,
    /// The offset of the last token.
    end: usize,
    options: ParseOptions<'o>,
    defined: BTreeMap<String, Block>,
    /// The templates that are called, with the offsets of the calls.
    called: Vec<(usize, String)>,
    scope: Scope,
    depth: usize,
}

/// What is in scope at the current token.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the scope"
)]
struct Scope {
    variables: Vec<String>,
    /// The dot is the whole data.
    dot_is_top: bool,
    /// `$` is the whole data.
    dollar_is_top: bool,
    in_range: bool,
    is_outermost: bool,
}

impl Scope {
    fn top() -> Self {
        Self {
            variables: vec![String::new()],
            dot_is_top: true,
            dollar_is_top: true,
            in_range: false,
            is_outermost: true,
        }
    }

    /// The scope of a defined template. Its dot is that of the caller, unless it is an entry point.
    fn defined(is_entry_point: bool) -> Self {
        Self {
            dot_is_top: is_entry_point,
            dollar_is_top: is_entry_point,
            is_outermost: false,
            ..Self::top()
        }
    }
}

/// The end of a block.
enum BlockEnd {
    Source,
    /// `end` or `else`, whose action is not closed yet.
    Word(usize, &'static str),
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        self.tokens.next()
    }

    fn next_if(&mut self, kind: &TokenKind) -> bool {
        self.tokens.next_if(|token| token.kind == *kind).is_some()
    }

    fn next_word(&mut self, word: &str) -> bool {
        let is_word = |token: &Token| matches!(&token.kind, TokenKind::Word(next) if next == word);
        self.tokens.next_if(is_word).is_some()
    }

    fn offset(&mut self) -> usize {
        self.tokens.peek().map_or(self.end, |token| token.offset)
    }

    fn error<T>(&mut self, problem: impl Into<String>) -> SyntaxResult<T> {
        Err(SyntaxError::new(self.offset(), problem))
    }

    fn close(&mut self) -> SyntaxResult<()> {
        if self.next_if(&TokenKind::Close) {
            return Ok(());
        }
        self.error("`}}` is expected here")
    }

    /// Parses one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> SyntaxResult<T>) -> SyntaxResult<T> {
        if self.depth >= MAX_NESTING {
            return self.error(format!("more than {MAX_NESTING} levels are nested"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Parses up to the `end` or `else` that does not belong to an inner block.
    fn block(&mut self) -> SyntaxResult<(Block, BlockEnd)> {
        let mut block = Block::new();
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::Text(text) => block.push(Node::Text(text.into())),
                TokenKind::Open => match self.action()? {
                    Action::Node(node) => block.push(node),
                    Action::Nothing => {}
                    Action::End(offset, word) => return Ok((block, BlockEnd::Word(offset, word))),
                },
                _ => return Err(SyntaxError::new(token.offset, "`{{` is expected here")),
            }
        }
        Ok((block, BlockEnd::Source))
    }

    fn action(&mut self) -> SyntaxResult<Action> {
        let offset = self.offset();
        let keyword = self.tokens.peek().and_then(|token| match &token.kind {
            TokenKind::Word(word) => KEYWORDS.into_iter().find(|keyword| keyword == word),
            _ => None,
        });
        let Some(keyword) = keyword else {
            let pipeline = self.pipeline(1)?;
            self.close()?;
            return Ok(Action::Node(Node::Pipeline(pipeline)));
        };
        self.next();
        let node = match keyword {
            "end" | "else" => return Ok(Action::End(offset, keyword)),
            "define" => {
                self.define(offset)?;
                return Ok(Action::Nothing);
            }
            "block" => self.nested(|parser| parser.block_action(offset))?,
            "template" => self.template(offset)?,
            "break" | "continue" => {
                self.close()?;
                if !self.scope.in_range {
                    let problem = format!("`{keyword}` is outside of a range");
                    return Err(SyntaxError::new(offset, problem));
                }
                if keyword == "break" {
                    Node::Break
                } else {
                    Node::Continue
                }
            }
            _ => self.nested(|parser| parser.control(keyword, offset))?,
        };
        Ok(Action::Node(node))
    }

    /// Parses `if`, `with` or `range`, after that word.
    fn control(&mut self, word: &str, offset: usize) -> SyntaxResult<Node> {
        let outer_variables = self.scope.variables.len();
        let was_outermost = mem::replace(&mut self.scope.is_outermost, false);
        let condition = self.pipeline(if word == "range" { 2 } else { 1 })?;
        self.close()?;
        let (dot_is_top, in_range) = (self.scope.dot_is_top, self.scope.in_range);
        self.scope.dot_is_top = dot_is_top && word == "if";
        self.scope.in_range = in_range || word == "range";
        let inner_variables = self.scope.variables.len();
        let (then, mut end) = self.block()?;
        self.scope.variables.truncate(inner_variables);
        self.scope.dot_is_top = dot_is_top;
        self.scope.in_range = in_range;
        let mut otherwise = Block::new();
        if let BlockEnd::Word(_, "else") = end {
            (otherwise, end) = self.otherwise(word)?;
        }
        self.scope.variables.truncate(outer_variables);
        self.scope.is_outermost = was_outermost;
        match end {
            BlockEnd::Source => {
                return Err(SyntaxError::new(offset, format!("`{word}` has no `end`")));
            }
            BlockEnd::Word(offset, "else") => {
                return Err(SyntaxError::new(offset, "there is a second `else`"));
            }
            BlockEnd::Word(..) => self.close()?,
        }
        let branch = Branch {
            condition,
            then,
            otherwise,
        };
        Ok(match word {
            "if" => Node::If(branch),
            "with" => Node::With(branch),
            _ => Node::Range(branch),
        })
    }

    /// Parses the part after `else`, up to the `end` of the whole action, which is not closed yet.
    fn otherwise(&mut self, word: &str) -> SyntaxResult<(Block, BlockEnd)> {
        let offset = self.offset();
        for again in ["if", "with"] {
            if word == again && self.next_word(again) {
                // The inner action takes the `end` of all of them.
                let node = self.nested(|parser| parser.chained(again, offset))?;
                return Ok((vec![node.0], node.1));
            }
        }
        self.close()?;
        self.block()
    }

    /// Parses `else if …` as an inner `if`, which leaves the `end` to the outer one.
    fn chained(&mut self, word: &str, offset: usize) -> SyntaxResult<(Node, BlockEnd)> {
        let variables = self.scope.variables.len();
        let condition = self.pipeline(1)?;
        self.close()?;
        let dot_is_top = self.scope.dot_is_top;
        self.scope.dot_is_top = dot_is_top && word == "if";
        let (then, mut end) = self.block()?;
        self.scope.dot_is_top = dot_is_top;
        let mut otherwise = Block::new();
        if let BlockEnd::Word(_, "else") = end {
            (otherwise, end) = self.otherwise(word)?;
        }
        self.scope.variables.truncate(variables);
        if let BlockEnd::Source = end {
            return Err(SyntaxError::new(
                offset,
                format!("`else {word}` has no `end`"),
            ));
        }
        let branch = Branch {
            condition,
            then,
            otherwise,
        };
        let node = if word == "if" {
            Node::If(branch)
        } else {
            Node::With(branch)
        };
        Ok((node, end))
    }

    fn quoted_name(&mut self) -> SyntaxResult<String> {
        if let Some(TokenKind::Literal(Value::Text(name))) =
            self.tokens.peek().map(|token| &token.kind)
        {
            let name = name.to_string();
            self.next();
            return Ok(name);
        }
        self.error("the name of a template in quotes is expected here")
    }

    fn define(&mut self, offset: usize) -> SyntaxResult<()> {
        if !self.scope.is_outermost {
            return Err(SyntaxError::new(
                offset,
                "`define` must not be inside of another action",
            ));
        }
        let name = self.quoted_name()?;
        self.close()?;
        self.defined_block(name, offset, "define")
    }

    /// Parses the body of `define` and `block`.
    fn defined_block(&mut self, name: String, offset: usize, word: &str) -> SyntaxResult<()> {
        let is_entry_point = self.options.entry_points.contains(&name.as_str());
        let outer = mem::replace(&mut self.scope, Scope::defined(is_entry_point));
        let (block, end) = self.block()?;
        self.scope = outer;
        match end {
            BlockEnd::Word(_, "end") => self.close()?,
            BlockEnd::Word(offset, _) => {
                return Err(SyntaxError::new(offset, "`else` without `if`"));
            }
            BlockEnd::Source => {
                return Err(SyntaxError::new(offset, format!("`{word}` has no `end`")));
            }
        }
        self.defined.insert(name, block);
        Ok(())
    }

    fn block_action(&mut self, offset: usize) -> SyntaxResult<Node> {
        let name = self.quoted_name()?;
        let pipeline = self.pipeline(0)?;
        self.close()?;
        self.defined_block(name.clone(), offset, "block")?;
        Ok(Node::Call(name, Some(pipeline)))
    }

    fn template(&mut self, offset: usize) -> SyntaxResult<Node> {
        let name = self.quoted_name()?;
        self.called.push((offset, name.clone()));
        if self.next_if(&TokenKind::Close) {
            return Ok(Node::Call(name, None));
        }
        let pipeline = self.pipeline(0)?;
        self.close()?;
        Ok(Node::Call(name, Some(pipeline)))
    }
}

enum Action {
    Node(Node),
    Nothing,
    End(usize, &'static str),
}
