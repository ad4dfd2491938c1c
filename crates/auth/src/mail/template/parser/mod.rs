//! Makes a tree of the tokens and finds everything that is wrong with it.

mod pipeline;

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::mem;
use std::vec::IntoIter;

use super::lexer::{Kind, Token};
use super::syntax::{Block, Branch, Node};
use super::value::Value;
use super::{Fault, NESTING, PARTS};

/// Words that begin or end something.
const KEYWORDS: [&str; 10] = [
    "if", "with", "range", "else", "end", "define", "block", "template", "break", "continue",
];

type Parsed = (Block, BTreeMap<String, Block>);
type Result<T> = std::result::Result<T, Fault>;

pub(super) fn parse(tokens: Vec<Token>, names: &[&str]) -> Result<Parsed> {
    let mut parser = Parser {
        end: tokens.last().map_or(0, |token| token.offset),
        tokens: tokens.into_iter().peekable(),
        names,
        named: BTreeMap::new(),
        called: Vec::new(),
        scope: Scope::top(),
        depth: 0,
    };
    let (main, end) = parser.block()?;
    if let End::Word(offset, word) = end {
        return Err(Fault::new(offset, format!("`{word}` ends nothing")));
    }
    for (offset, name) in &parser.called {
        if !parser.named.contains_key(name) {
            let problem = format!("no template \"{name}\" is defined");
            return Err(Fault::new(*offset, problem));
        }
    }
    Ok((main, parser.named))
}

struct Parser<'n> {
    tokens: Peekable<IntoIter<Token>>,
    /// Where the last token stands.
    end: usize,
    names: &'n [&'n str],
    named: BTreeMap<String, Block>,
    /// Templates that are called, and where.
    called: Vec<(usize, String)>,
    scope: Scope,
    depth: usize,
}

/// What holds at a place of the source.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the place"
)]
struct Scope {
    variables: Vec<String>,
    /// Whether the dot is what the whole mail is about.
    dot_is_top: bool,
    /// Whether `$` is.
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

    /// In a template of its own, which is given its dot when it is called, unless it is a part of the
    /// mail.
    fn named(name: &str) -> Self {
        let is_part = PARTS.contains(&name);
        Self {
            dot_is_top: is_part,
            dollar_is_top: is_part,
            is_outermost: false,
            ..Self::top()
        }
    }
}

/// What ends a block.
enum End {
    Source,
    /// `end` or `else`, whose action is not closed yet.
    Word(usize, &'static str),
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        self.tokens.next()
    }

    fn next_if(&mut self, kind: &Kind) -> bool {
        self.tokens.next_if(|token| token.kind == *kind).is_some()
    }

    fn next_word(&mut self, word: &str) -> bool {
        let is_it = |token: &Token| matches!(&token.kind, Kind::Word(found) if found == word);
        self.tokens.next_if(is_it).is_some()
    }

    fn offset(&mut self) -> usize {
        self.tokens.peek().map_or(self.end, |token| token.offset)
    }

    fn fault<T>(&mut self, problem: impl Into<String>) -> Result<T> {
        Err(Fault::new(self.offset(), problem))
    }

    fn close(&mut self) -> Result<()> {
        if self.next_if(&Kind::Close) {
            return Ok(());
        }
        self.fault("`}}` is expected here")
    }

    /// Goes one level down.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= NESTING {
            return self.fault(format!("more than {NESTING} levels are within one another"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Reads up to the `end` or `else` that is not of an inner block.
    fn block(&mut self) -> Result<(Block, End)> {
        let mut block = Block::new();
        while let Some(token) = self.next() {
            match token.kind {
                Kind::Text(text) => block.push(Node::Text(text.into())),
                Kind::Open => match self.action()? {
                    Action::Node(node) => block.push(node),
                    Action::Nothing => {}
                    Action::End(offset, word) => return Ok((block, End::Word(offset, word))),
                },
                _ => return Err(Fault::new(token.offset, "`{{` is expected here")),
            }
        }
        Ok((block, End::Source))
    }

    fn action(&mut self) -> Result<Action> {
        let offset = self.offset();
        let keyword = self.tokens.peek().and_then(|token| match &token.kind {
            Kind::Word(word) => KEYWORDS.into_iter().find(|keyword| keyword == word),
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
                    let problem = format!("`{keyword}` stands outside of a range");
                    return Err(Fault::new(offset, problem));
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

    /// Reads `if`, `with` or `range`, after that word.
    fn control(&mut self, word: &str, offset: usize) -> Result<Node> {
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
        if let End::Word(_, "else") = end {
            (otherwise, end) = self.otherwise(word)?;
        }
        self.scope.variables.truncate(outer_variables);
        self.scope.is_outermost = was_outermost;
        match end {
            End::Source => return Err(Fault::new(offset, format!("`{word}` has no `end`"))),
            End::Word(offset, "else") => return Err(Fault::new(offset, "a second `else`")),
            End::Word(..) => self.close()?,
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

    /// Reads what follows `else`, up to the `end` of the whole, which is not closed yet.
    fn otherwise(&mut self, word: &str) -> Result<(Block, End)> {
        let offset = self.offset();
        for again in ["if", "with"] {
            if word == again && self.next_word(again) {
                // The inner one takes the `end` of all of them.
                let node = self.nested(|parser| parser.chained(again, offset))?;
                return Ok((vec![node.0], node.1));
            }
        }
        self.close()?;
        self.block()
    }

    /// Reads `else if …`: as an inner `if`, which leaves the `end` to the outer one.
    fn chained(&mut self, word: &str, offset: usize) -> Result<(Node, End)> {
        let variables = self.scope.variables.len();
        let condition = self.pipeline(1)?;
        self.close()?;
        let dot_is_top = self.scope.dot_is_top;
        self.scope.dot_is_top = dot_is_top && word == "if";
        let (then, mut end) = self.block()?;
        self.scope.dot_is_top = dot_is_top;
        let mut otherwise = Block::new();
        if let End::Word(_, "else") = end {
            (otherwise, end) = self.otherwise(word)?;
        }
        self.scope.variables.truncate(variables);
        if let End::Source = end {
            return Err(Fault::new(offset, format!("`else {word}` has no `end`")));
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

    fn quoted_name(&mut self) -> Result<String> {
        if let Some(Kind::Literal(Value::Text(name))) = self.tokens.peek().map(|token| &token.kind)
        {
            let name = name.to_string();
            self.next();
            return Ok(name);
        }
        self.fault("the name of a template in quotes is expected here")
    }

    fn define(&mut self, offset: usize) -> Result<()> {
        if !self.scope.is_outermost {
            return Err(Fault::new(offset, "`define` stands inside of something"));
        }
        let name = self.quoted_name()?;
        self.close()?;
        self.named_block(name, offset, "define")
    }

    /// Reads the body of a template of its own.
    fn named_block(&mut self, name: String, offset: usize, word: &str) -> Result<()> {
        let outer = mem::replace(&mut self.scope, Scope::named(&name));
        let (block, end) = self.block()?;
        self.scope = outer;
        match end {
            End::Word(_, "end") => self.close()?,
            End::Word(offset, _) => return Err(Fault::new(offset, "`else` without `if`")),
            End::Source => return Err(Fault::new(offset, format!("`{word}` has no `end`"))),
        }
        self.named.insert(name, block);
        Ok(())
    }

    fn block_action(&mut self, offset: usize) -> Result<Node> {
        let name = self.quoted_name()?;
        let pipeline = self.pipeline(0)?;
        self.close()?;
        self.named_block(name.clone(), offset, "block")?;
        Ok(Node::Call(name, Some(pipeline)))
    }

    fn template(&mut self, offset: usize) -> Result<Node> {
        let name = self.quoted_name()?;
        self.called.push((offset, name.clone()));
        if self.next_if(&Kind::Close) {
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
