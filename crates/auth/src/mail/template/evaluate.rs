//! Writes a template out.

use std::collections::BTreeMap;

use super::context::Context;
use super::functions::Function;
use super::syntax::{Block, Branch, Command, Node, Pipeline, Start, Term};
use super::value::Value;
use super::{NESTING, OUTPUT, Output, format};

/// What a rendering may cost; a step costs [`STEP`], a byte that is made costs one.
const FUEL: usize = 20_000_000;
const STEP: usize = 100;
/// Blocks and pipelines within one another, those of called templates included.
const DEPTH: usize = 2 * NESTING;

const TOO_LONG: &str = "the template writes more than a mail can hold";
const TOO_MUCH: &str = "the template does too much";
const TOO_DEEP: &str = "the template calls itself too often";

type Result<T> = std::result::Result<T, &'static str>;

/// What follows a node.
#[derive(PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

pub(super) struct Evaluation<'t> {
    named: &'t BTreeMap<String, Block>,
    variables: Vec<(&'t str, Value)>,
    out: String,
    /// Where values are written to; none as text.
    context: Option<Context>,
    fuel: usize,
    depth: usize,
}

impl<'t> Evaluation<'t> {
    pub(super) fn new(named: &'t BTreeMap<String, Block>, output: Output) -> Self {
        Self {
            named,
            variables: Vec::new(),
            out: String::new(),
            context: (output == Output::Html).then(Context::default),
            fuel: FUEL,
            depth: 0,
        }
    }

    pub(super) fn run(mut self, block: &'t Block, dot: &Value) -> Result<String> {
        self.variables.push(("", dot.clone()));
        self.block(block, dot)?;
        Ok(self.out)
    }

    fn burn(&mut self, cost: usize) -> Result<()> {
        self.fuel = self.fuel.checked_sub(cost).ok_or(TOO_MUCH)?;
        Ok(())
    }

    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// Writes what stands in the template.
    fn write_source(&mut self, text: &str) -> Result<()> {
        self.burn(text.len())?;
        if let Some(context) = &mut self.context {
            context.read(text);
        }
        self.push(text)
    }

    /// Writes a value, escaped for where it stands.
    fn write_value(&mut self, value: &Value) -> Result<()> {
        let text = match &mut self.context {
            Some(context) => {
                if context.ends_in_loose_bracket() {
                    self.out.pop();
                    self.out.push_str("&lt;");
                }
                context.escape(value)
            }
            None => format::text(value),
        };
        self.burn(text.len())?;
        self.push(&text)
    }

    fn push(&mut self, text: &str) -> Result<()> {
        if self.out.len() + text.len() > OUTPUT {
            return Err(TOO_LONG);
        }
        self.out.push_str(text);
        Ok(())
    }

    fn block(&mut self, block: &'t Block, dot: &Value) -> Result<Flow> {
        let variables = self.variables.len();
        let mut flow = Flow::Next;
        for node in block {
            flow = self.node(node, dot)?;
            if flow != Flow::Next {
                break;
            }
        }
        self.variables.truncate(variables);
        Ok(flow)
    }

    fn node(&mut self, node: &'t Node, dot: &Value) -> Result<Flow> {
        self.burn(STEP)?;
        match node {
            Node::Text(text) => self.write_source(text)?,
            Node::Pipeline(pipeline) => {
                let value = self.set(pipeline, dot)?;
                if pipeline.variables.is_empty() {
                    self.write_value(&value)?;
                }
            }
            Node::If(branch) => return self.choose(branch, dot, false),
            Node::With(branch) => return self.choose(branch, dot, true),
            Node::Range(branch) => return self.deeper(|this| this.range(branch, dot)),
            Node::Call(name, pipeline) => self.call(name, pipeline.as_ref(), dot)?,
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn choose(&mut self, branch: &'t Branch, dot: &Value, moves: bool) -> Result<Flow> {
        let variables = self.variables.len();
        let value = self.set(&branch.condition, dot)?;
        let flow = self.deeper(|this| match (value.is_true(), moves) {
            (true, true) => this.block(&branch.then, &value),
            (true, false) => this.block(&branch.then, dot),
            (false, _) => this.block(&branch.otherwise, dot),
        });
        self.variables.truncate(variables);
        flow
    }

    fn range(&mut self, branch: &'t Branch, dot: &Value) -> Result<Flow> {
        let variables = self.variables.len();
        let condition = &branch.condition;
        let ranged = self.pipeline(condition, dot)?;
        self.burn(ranged.len())?;
        let mut is_empty = true;
        for (key, value) in pairs(ranged) {
            is_empty = false;
            self.burn(STEP)?;
            match condition.variables.as_slice() {
                [name] if condition.is_assignment => self.assign(name, value.clone()),
                [name] => self.variables.push((name, value.clone())),
                [first, second] => {
                    self.variables.push((first, key));
                    self.variables.push((second, value.clone()));
                }
                _ => {}
            }
            let flow = self.block(&branch.then, &value)?;
            self.variables.truncate(variables);
            if flow == Flow::Break {
                break;
            }
        }
        if is_empty {
            return self.block(&branch.otherwise, dot);
        }
        Ok(Flow::Next)
    }

    fn call(&mut self, name: &str, pipeline: Option<&'t Pipeline>, dot: &Value) -> Result<()> {
        let value = match pipeline {
            Some(pipeline) => self.pipeline(pipeline, dot)?,
            None => Value::Nil,
        };
        let Some(block) = self.named.get(name) else {
            return Ok(());
        };
        // It sees none of the caller's variables.
        let outer = std::mem::replace(&mut self.variables, vec![("", value.clone())]);
        self.deeper(|this| this.block(block, &value))?;
        self.variables = outer;
        Ok(())
    }

    /// The value of a pipeline, which its variables get too.
    fn set(&mut self, pipeline: &'t Pipeline, dot: &Value) -> Result<Value> {
        let value = self.pipeline(pipeline, dot)?;
        if let Some(name) = pipeline.variables.first() {
            if pipeline.is_assignment {
                self.assign(name, value.clone());
            } else {
                self.variables.push((name, value.clone()));
            }
        }
        Ok(value)
    }

    fn assign(&mut self, name: &str, value: Value) {
        let mut variables = self.variables.iter_mut().rev();
        if let Some((_, known)) = variables.find(|(known, _)| *known == name) {
            *known = value;
        }
    }

    fn variable(&self, name: &str) -> Value {
        let mut variables = self.variables.iter().rev();
        let found = variables.find(|(known, _)| *known == name);
        found.map_or(Value::Nil, |(_, value)| value.clone())
    }

    fn pipeline(&mut self, pipeline: &'t Pipeline, dot: &Value) -> Result<Value> {
        self.deeper(|this| {
            let mut value = None;
            for command in &pipeline.commands {
                value = Some(this.command(command, dot, value)?);
            }
            Ok(value.unwrap_or(Value::Nil))
        })
    }

    fn command(
        &mut self,
        command: &'t Command,
        dot: &Value,
        piped: Option<Value>,
    ) -> Result<Value> {
        self.burn(STEP)?;
        let (function, terms) = match command {
            Command::Term(term) => return self.term(term, dot),
            Command::Call(function, terms) => (*function, terms),
        };
        let mut arguments = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            let value = self.term(term, dot)?;
            let decides = match function {
                Function::And => !value.is_true(),
                Function::Or => value.is_true(),
                _ => false,
            };
            arguments.push(value);
            if decides {
                return Ok(function.call(&arguments));
            }
        }
        arguments.extend(piped);
        // Comparing and copying costs by length as well.
        self.burn(arguments.iter().map(Value::len).sum())?;
        let value = function.call(&arguments);
        self.burn(value.len())?;
        if value.len() > OUTPUT {
            return Err(TOO_LONG);
        }
        Ok(value)
    }

    fn term(&mut self, term: &'t Term, dot: &Value) -> Result<Value> {
        self.burn(STEP)?;
        let (start, path) = match term {
            Term::Value(value) => return Ok(value.clone()),
            Term::Path(start, path) => (start, path),
        };
        let value = match start {
            Start::Dot => dot.clone(),
            Start::Variable(name) => self.variable(name),
            Start::Pipeline(pipeline) => self.pipeline(pipeline, dot)?,
        };
        Ok(path.iter().fold(value, |value, name| value.member(name)))
    }
}

/// The members of a value, each with its name or number. A number stands for all that are smaller.
fn pairs(value: Value) -> Box<dyn Iterator<Item = (Value, Value)>> {
    match value {
        Value::List(values) => {
            let pair = move |number: i64| {
                let value = values.get(usize::try_from(number).ok()?)?.clone();
                Some((Value::Int(number), value))
            };
            Box::new((0..).map_while(pair))
        }
        Value::Map(members) => {
            let members = (*members).clone().into_iter();
            Box::new(members.map(|(name, value)| (Value::text(name), value)))
        }
        Value::Int(count) => {
            Box::new((0..count).map(|number| (Value::Int(number), Value::Int(number))))
        }
        _ => Box::new(std::iter::empty()),
    }
}
