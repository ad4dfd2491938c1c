//! Pipelines: values, functions and variables.

use super::super::functions::Function;
use super::super::lexer::{Kind, Token};
use super::super::syntax::{Command, Pipeline, Start, Term};
use super::super::value::Value;
use super::{Fault, KEYWORDS, Parser, Result};

/// More variables at once are a mistake.
const VARIABLES: usize = 100;

impl Parser<'_> {
    /// Reads a pipeline that may set so many variables.
    pub(super) fn pipeline(&mut self, most: usize) -> Result<Pipeline> {
        let mut pipeline = Pipeline::default();
        let offset = self.offset();
        let first = self.tokens.peek().map(|token| token.kind.clone());
        let mut declares = false;
        if let Some(Kind::Variable(name)) = first
            && most > 0
        {
            let token = self.next();
            (pipeline.variables, declares) = self.targets(name, most)?;
            pipeline.is_assignment = !pipeline.variables.is_empty() && !declares;
            if pipeline.variables.is_empty() {
                // It is a value after all.
                let command = self.command_after(token, false)?;
                pipeline.commands.push(command);
            }
        }
        if pipeline.is_assignment && most > 1 && pipeline.variables.len() > 1 {
            return Err(Fault::new(
                offset,
                "`:=` is expected between variables and values",
            ));
        }
        if pipeline.commands.is_empty() {
            let command = self.command_after(None, false)?;
            pipeline.commands.push(command);
        }
        while self.next_if(&Kind::Bar) {
            let command = self.command_after(None, true)?;
            pipeline.commands.push(command);
        }
        if declares {
            self.scope.variables.extend(pipeline.variables.clone());
            if self.scope.variables.len() > VARIABLES {
                let problem = format!("more than {VARIABLES} variables are in use at once");
                return Err(Fault::new(offset, problem));
            }
        }
        Ok(pipeline)
    }

    /// The variables on the left of `:=` or `=`, and whether they are new; none if it is neither.
    fn targets(&mut self, name: String, most: usize) -> Result<(Vec<String>, bool)> {
        if self.next_if(&Kind::Declare) {
            return Ok((vec![name], true));
        }
        if self.next_if(&Kind::Assign) {
            self.check_variable(&name)?;
            return Ok((vec![name], false));
        }
        if most > 1 && self.next_if(&Kind::Comma) {
            let Some(Kind::Variable(second)) = self.next().map(|token| token.kind) else {
                return self.fault("a second variable is expected here");
            };
            if self.next_if(&Kind::Declare) {
                return Ok((vec![name, second], true));
            }
            return self.fault("`:=` is expected here");
        }
        Ok((Vec::new(), false))
    }

    fn check_variable(&mut self, name: &str) -> Result<()> {
        if self.scope.variables.iter().any(|known| known == name) {
            return Ok(());
        }
        self.fault(format!("no variable `${name}` is set here"))
    }

    /// Reads a command whose first token may have been taken; `is_piped` says that it gets a value.
    fn command_after(&mut self, first: Option<Token>, is_piped: bool) -> Result<Command> {
        let offset = first
            .as_ref()
            .map_or_else(|| self.offset(), |token| token.offset);
        let word = match self.tokens.peek().map(|token| &token.kind) {
            Some(Kind::Word(word)) if first.is_none() && !is_constant(word) => Some(word.clone()),
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
                .check(&word, given)
                .map_err(|problem| Fault::new(offset, problem))?;
            return Ok(Command::Call(function, arguments));
        }
        let term = match first {
            Some(token) => Some(self.term_after(token)?),
            None => self.term()?,
        };
        let Some(term) = term else {
            return Err(Fault::new(offset, "a value is expected here"));
        };
        if is_piped {
            return Err(Fault::new(offset, "only a function can follow `|`"));
        }
        if self.term()?.is_some() {
            return Err(Fault::new(
                offset,
                "this is no function and takes no values",
            ));
        }
        Ok(Command::Term(term))
    }

    /// Reads a value, if there is one.
    fn term(&mut self) -> Result<Option<Term>> {
        let is_end = |kind: &Kind| {
            matches!(
                kind,
                Kind::Close | Kind::Bar | Kind::RightParenthesis | Kind::Text(_) | Kind::Open
            )
        };
        match self.tokens.next_if(|token| !is_end(&token.kind)) {
            Some(token) => self.term_after(token).map(Some),
            None => Ok(None),
        }
    }

    fn term_after(&mut self, token: Token) -> Result<Term> {
        let offset = token.offset;
        let mut path = Vec::new();
        let start = match token.kind {
            Kind::Literal(value) => return Ok(Term::Value(value)),
            Kind::Word(word) if is_constant(&word) => return Ok(Term::Value(constant(&word))),
            Kind::Word(word) => {
                // A function among the values of another one, without values of its own.
                let function = function(&word, offset)?;
                function
                    .check(&word, 0)
                    .map_err(|problem| Fault::new(offset, problem))?;
                Start::Pipeline(Box::new(Pipeline {
                    commands: vec![Command::Call(function, Vec::new())],
                    ..Pipeline::default()
                }))
            }
            Kind::Dot => Start::Dot,
            Kind::Field(name) => {
                if self.scope.dot_is_top {
                    self.check_name(&name, offset)?;
                }
                path.push(name);
                Start::Dot
            }
            Kind::Variable(name) => {
                self.check_variable(&name)
                    .map_err(|fault| Fault::new(offset, fault.problem))?;
                Start::Variable(name)
            }
            Kind::LeftParenthesis => {
                let inner = self.nested(|parser| parser.pipeline(0))?;
                if !self.next_if(&Kind::RightParenthesis) {
                    return self.fault("`)` is expected here");
                }
                Start::Pipeline(Box::new(inner))
            }
            _ => return Err(Fault::new(offset, "a value is expected here")),
        };
        let is_top = matches!(&start, Start::Variable(name) if name.is_empty());
        while let Some(token) = self
            .tokens
            .next_if(|token| token.is_joined && matches!(token.kind, Kind::Field(_)))
        {
            if let Kind::Field(name) = token.kind {
                if is_top && path.is_empty() && self.scope.dollar_is_top {
                    self.check_name(&name, token.offset)?;
                }
                path.push(name);
            }
        }
        Ok(Term::Path(start, path))
    }

    fn check_name(&self, name: &str, offset: usize) -> Result<()> {
        if self.names.contains(&name) {
            return Ok(());
        }
        let problem = format!(
            "there is no `.{name}`; there are .{}",
            self.names.join(", .")
        );
        Err(Fault::new(offset, problem))
    }
}

fn function(word: &str, offset: usize) -> Result<Function> {
    if KEYWORDS.contains(&word) {
        return Err(Fault::new(offset, format!("`{word}` is not expected here")));
    }
    Function::find(word).ok_or_else(|| Fault::new(offset, format!("there is no function `{word}`")))
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
