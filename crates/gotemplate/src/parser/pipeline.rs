//! Parses pipelines: values, functions and variables.

use super::{KEYWORDS, Parser, SyntaxResult};
use crate::error::SyntaxError;
use crate::functions::Function;
use crate::lexer::{Token, TokenKind};
use crate::limits::MAX_VARIABLES;
use crate::syntax::{Command, PathRoot, Pipeline, Term};
use crate::value::Value;

impl Parser<'_> {
    /// Parses a pipeline that may set up to `max_variables` variables.
    pub(super) fn pipeline(&mut self, max_variables: usize) -> SyntaxResult<Pipeline> {
        let mut pipeline = Pipeline::default();
        let offset = self.offset();
        let first = self.tokens.peek().map(|token| token.kind.clone());
        let mut declares = false;
        if let Some(TokenKind::Variable(name)) = first
            && max_variables > 0
        {
            let token = self.next();
            (pipeline.variables, declares) = self.targets(name, max_variables)?;
            pipeline.is_assignment = !pipeline.variables.is_empty() && !declares;
            if pipeline.variables.is_empty() {
                // The variable is a value.
                let command = self.command_after(token, false)?;
                pipeline.commands.push(command);
            }
        }
        if pipeline.is_assignment && max_variables > 1 && pipeline.variables.len() > 1 {
            return Err(SyntaxError::new(
                offset,
                "`:=` is expected between variables and values",
            ));
        }
        if pipeline.commands.is_empty() {
            let command = self.command_after(None, false)?;
            pipeline.commands.push(command);
        }
        while self.next_if(&TokenKind::Bar) {
            let command = self.command_after(None, true)?;
            pipeline.commands.push(command);
        }
        if declares {
            self.scope.variables.extend(pipeline.variables.clone());
            if self.scope.variables.len() > MAX_VARIABLES {
                let problem = format!("more than {MAX_VARIABLES} variables are in scope");
                return Err(SyntaxError::new(offset, problem));
            }
        }
        Ok(pipeline)
    }

    /// Parses the variables on the left of `:=` or `=`. Returns them and whether they are new; none if the
    /// variable is a value.
    fn targets(&mut self, name: String, max_variables: usize) -> SyntaxResult<(Vec<String>, bool)> {
        if self.next_if(&TokenKind::Declare) {
            return Ok((vec![name], true));
        }
        if self.next_if(&TokenKind::Assign) {
            self.check_variable(&name)?;
            return Ok((vec![name], false));
        }
        if max_variables > 1 && self.next_if(&TokenKind::Comma) {
            let Some(TokenKind::Variable(second)) = self.next().map(|token| token.kind) else {
                return self.error("a second variable is expected here");
            };
            if self.next_if(&TokenKind::Declare) {
                return Ok((vec![name, second], true));
            }
            return self.error("`:=` is expected here");
        }
        Ok((Vec::new(), false))
    }

    fn check_variable(&mut self, name: &str) -> SyntaxResult<()> {
        if self.scope.variables.iter().any(|known| known == name) {
            return Ok(());
        }
        self.error(format!("no variable `${name}` is set here"))
    }

    /// Parses a command whose first token may be taken already. `is_piped`: it gets the value of the command
    /// before it.
    fn command_after(&mut self, first: Option<Token>, is_piped: bool) -> SyntaxResult<Command> {
        let offset = first
            .as_ref()
            .map_or_else(|| self.offset(), |token| token.offset);
        let word = match self.tokens.peek().map(|token| &token.kind) {
            Some(TokenKind::Word(word)) if first.is_none() && !is_constant(word) => {
                Some(word.clone())
            }
            _ => None,
        };
        if let Some(word) = word {
            self.next();
            let function = function(&word, offset)?;
            let mut arguments = Vec::new();
            while let Some(term) = self.term()? {
                arguments.push(term);
            }
            let given = arguments.len() + usize::from(is_piped);
            function
                .check_arity(&word, given)
                .map_err(|problem| SyntaxError::new(offset, problem))?;
            return Ok(Command::Call(function, arguments));
        }
        let term = match first {
            Some(token) => Some(self.term_after(token)?),
            None => self.term()?,
        };
        let Some(term) = term else {
            return Err(SyntaxError::new(offset, "a value is expected here"));
        };
        if is_piped {
            return Err(SyntaxError::new(offset, "only a function can follow `|`"));
        }
        if self.term()?.is_some() {
            return Err(SyntaxError::new(
                offset,
                "this is not a function and takes no values",
            ));
        }
        Ok(Command::Term(term))
    }

    /// Parses a value, if there is one.
    fn term(&mut self) -> SyntaxResult<Option<Term>> {
        let is_end = |kind: &TokenKind| {
            matches!(
                kind,
                TokenKind::Close
                    | TokenKind::Bar
                    | TokenKind::RightParenthesis
                    | TokenKind::Text(_)
                    | TokenKind::Open
            )
        };
        match self.tokens.next_if(|token| !is_end(&token.kind)) {
            Some(token) => self.term_after(token).map(Some),
            None => Ok(None),
        }
    }

    fn term_after(&mut self, token: Token) -> SyntaxResult<Term> {
        let offset = token.offset;
        let mut path = Vec::new();
        let start = match token.kind {
            TokenKind::Literal(value) => return Ok(Term::Literal(value)),
            TokenKind::Word(word) if is_constant(&word) => {
                return Ok(Term::Literal(constant(&word)));
            }
            TokenKind::Word(word) => {
                // A function among the arguments of another one has no arguments.
                let function = function(&word, offset)?;
                function
                    .check_arity(&word, 0)
                    .map_err(|problem| SyntaxError::new(offset, problem))?;
                PathRoot::Pipeline(Box::new(Pipeline {
                    commands: vec![Command::Call(function, Vec::new())],
                    ..Pipeline::default()
                }))
            }
            TokenKind::Dot => PathRoot::Dot,
            TokenKind::Field(name) => {
                if self.scope.dot_is_top {
                    self.check_field(&name, offset)?;
                }
                path.push(name);
                PathRoot::Dot
            }
            TokenKind::Variable(name) => {
                self.check_variable(&name)
                    .map_err(|error| SyntaxError::new(offset, error.problem))?;
                PathRoot::Variable(name)
            }
            TokenKind::LeftParenthesis => {
                let inner = self.nested(|parser| parser.pipeline(0))?;
                if !self.next_if(&TokenKind::RightParenthesis) {
                    return self.error("`)` is expected here");
                }
                PathRoot::Pipeline(Box::new(inner))
            }
            _ => return Err(SyntaxError::new(offset, "a value is expected here")),
        };
        let is_top = matches!(&start, PathRoot::Variable(name) if name.is_empty());
        while let Some(token) = self
            .tokens
            .next_if(|token| token.is_joined && matches!(token.kind, TokenKind::Field(_)))
        {
            if let TokenKind::Field(name) = token.kind {
                if is_top && path.is_empty() && self.scope.dollar_is_top {
                    self.check_field(&name, token.offset)?;
                }
                path.push(name);
            }
        }
        Ok(Term::Path(start, path))
    }

    fn check_field(&self, name: &str, offset: usize) -> SyntaxResult<()> {
        let fields = match self.options.fields {
            Some(fields) if !fields.contains(&name) => fields,
            _ => return Ok(()),
        };
        let problem = format!("there is no `.{name}`; there are .{}", fields.join(", ."));
        Err(SyntaxError::new(offset, problem))
    }
}

fn function(word: &str, offset: usize) -> SyntaxResult<Function> {
    if KEYWORDS.contains(&word) {
        return Err(SyntaxError::new(
            offset,
            format!("`{word}` is not expected here"),
        ));
    }
    Function::find(word)
        .ok_or_else(|| SyntaxError::new(offset, format!("there is no function `{word}`")))
}

fn is_constant(word: &str) -> bool {
    matches!(word, "true" | "false" | "nil")
}

fn constant(word: &str) -> Value {
    match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::Nil,
    }
}
