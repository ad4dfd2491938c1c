//! Renders a template.

use std::collections::BTreeMap;

use crate::format;
use crate::functions::Function;
use crate::html_context::HtmlContext;
use crate::limits::{BUDGET, MAX_DEPTH, MAX_OUTPUT, STEP_COST};
use crate::syntax::{Block, Branch, Command, Node, PathRoot, Pipeline, Term};
use crate::value::Value;

const TOO_LONG: &str = "the template writes more than 2 MiB";
const TOO_MUCH: &str = "the template takes too many steps";
const TOO_DEEP: &str = "the template calls itself too often";

type RenderResult<T> = Result<T, &'static str>;

/// Where a rendering continues after a node.
#[derive(PartialEq, Eq)]
enum ControlFlow {
    Next,
    Break,
    Continue,
}

/// One rendering of a template.
pub(crate) struct Renderer<'t> {
    defined: &'t BTreeMap<String, Block>,
    /// The variables in scope, the innermost last. `$` has an empty name.
    variables: Vec<(&'t str, Value)>,
    out: String,
    /// The context that values are escaped for; `None` in plain text.
    context: Option<HtmlContext>,
    /// What is left of [`BUDGET`].
    budget: usize,
    depth: usize,
}

impl<'t> Renderer<'t> {
    pub(crate) fn new(defined: &'t BTreeMap<String, Block>, is_html: bool) -> Self {
        Self {
            defined,
            variables: Vec::new(),
            out: String::new(),
            context: is_html.then(HtmlContext::default),
            budget: BUDGET,
            depth: 0,
        }
    }

    /// Renders a block with this dot.
    pub(crate) fn run(mut self, block: &'t Block, dot: &Value) -> RenderResult<String> {
        self.variables.push(("", dot.clone()));
        self.block(block, dot)?;
        Ok(self.out)
    }

    /// Takes a cost off the budget.
    fn spend(&mut self, cost: usize) -> RenderResult<()> {
        self.budget = self.budget.checked_sub(cost).ok_or(TOO_MUCH)?;
        Ok(())
    }

    /// Runs a step one level deeper.
    fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> RenderResult<T>) -> RenderResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// Writes source text.
    fn write_source(&mut self, text: &str) -> RenderResult<()> {
        self.spend(text.len())?;
        if let Some(context) = &mut self.context {
            context.advance(text);
        }
        self.push(text)
    }

    /// Writes a value, escaped for its context.
    fn write_value(&mut self, value: &Value) -> RenderResult<()> {
        let text = match &mut self.context {
            Some(context) => {
                if context.take_loose_bracket() {
                    self.out.pop();
                    self.out.push_str("&lt;");
                }
                context.escape(value)
            }
            None => format::to_text(value),
        };
        self.spend(text.len())?;
        self.push(&text)
    }

    fn push(&mut self, text: &str) -> RenderResult<()> {
        if self.out.len() + text.len() > MAX_OUTPUT {
            return Err(TOO_LONG);
        }
        self.out.push_str(text);
        Ok(())
    }

    fn block(&mut self, block: &'t Block, dot: &Value) -> RenderResult<ControlFlow> {
        let variables = self.variables.len();
        let mut flow = ControlFlow::Next;
        for node in block {
            flow = self.node(node, dot)?;
            if flow != ControlFlow::Next {
                break;
            }
        }
        self.variables.truncate(variables);
        Ok(flow)
    }

    fn node(&mut self, node: &'t Node, dot: &Value) -> RenderResult<ControlFlow> {
        self.spend(STEP_COST)?;
        match node {
            Node::Text(text) => self.write_source(text)?,
            Node::Pipeline(pipeline) => {
                let value = self.evaluate(pipeline, dot)?;
                if pipeline.variables.is_empty() {
                    self.write_value(&value)?;
                }
            }
            Node::If(branch) => return self.branch(branch, dot, false),
            Node::With(branch) => return self.branch(branch, dot, true),
            Node::Range(branch) => return self.nested(|this| this.range(branch, dot)),
            Node::Call(name, pipeline) => self.call(name, pipeline.as_ref(), dot)?,
            Node::Break => return Ok(ControlFlow::Break),
            Node::Continue => return Ok(ControlFlow::Continue),
        }
        Ok(ControlFlow::Next)
    }

    fn branch(
        &mut self,
        branch: &'t Branch,
        dot: &Value,
        moves_dot: bool,
    ) -> RenderResult<ControlFlow> {
        let variables = self.variables.len();
        let value = self.evaluate(&branch.condition, dot)?;
        let flow = self.nested(|this| match (value.is_truthy(), moves_dot) {
            (true, true) => this.block(&branch.then, &value),
            (true, false) => this.block(&branch.then, dot),
            (false, _) => this.block(&branch.otherwise, dot),
        });
        self.variables.truncate(variables);
        flow
    }

    fn range(&mut self, branch: &'t Branch, dot: &Value) -> RenderResult<ControlFlow> {
        let variables = self.variables.len();
        let condition = &branch.condition;
        let ranged = self.pipeline(condition, dot)?;
        self.spend(ranged.len())?;
        let mut is_empty = true;
        for (key, value) in entries(ranged) {
            is_empty = false;
            self.spend(STEP_COST)?;
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
            if flow == ControlFlow::Break {
                break;
            }
        }
        if is_empty {
            return self.block(&branch.otherwise, dot);
        }
        Ok(ControlFlow::Next)
    }

    /// Renders a defined template.
    fn call(
        &mut self,
        name: &str,
        pipeline: Option<&'t Pipeline>,
        dot: &Value,
    ) -> RenderResult<()> {
        let value = match pipeline {
            Some(pipeline) => self.pipeline(pipeline, dot)?,
            None => Value::Nil,
        };
        let Some(block) = self.defined.get(name) else {
            return Ok(());
        };
        // The called template sees none of the caller's variables.
        let outer = std::mem::replace(&mut self.variables, vec![("", value.clone())]);
        self.nested(|this| this.block(block, &value))?;
        self.variables = outer;
        Ok(())
    }

    /// Evaluates a pipeline and sets its variables.
    fn evaluate(&mut self, pipeline: &'t Pipeline, dot: &Value) -> RenderResult<Value> {
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

    /// Sets the innermost variable of this name.
    fn assign(&mut self, name: &str, value: Value) {
        let mut variables = self.variables.iter_mut().rev();
        if let Some((_, variable)) = variables.find(|(other, _)| *other == name) {
            *variable = value;
        }
    }

    fn variable(&self, name: &str) -> Value {
        let mut variables = self.variables.iter().rev();
        let variable = variables.find(|(other, _)| *other == name);
        variable.map_or(Value::Nil, |(_, value)| value.clone())
    }

    fn pipeline(&mut self, pipeline: &'t Pipeline, dot: &Value) -> RenderResult<Value> {
        self.nested(|this| {
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
    ) -> RenderResult<Value> {
        self.spend(STEP_COST)?;
        let (function, terms) = match command {
            Command::Term(term) => return self.term(term, dot),
            Command::Call(function, terms) => (*function, terms),
        };
        let mut arguments = Vec::with_capacity(terms.len() + 1);
        for term in terms {
            let value = self.term(term, dot)?;
            let is_decisive = match function {
                Function::And => !value.is_truthy(),
                Function::Or => value.is_truthy(),
                _ => false,
            };
            arguments.push(value);
            if is_decisive {
                return Ok(function.call(&arguments));
            }
        }
        arguments.extend(piped);
        // Comparing and copying cost by length as well.
        self.spend(arguments.iter().map(Value::len).sum())?;
        let value = function.call(&arguments);
        self.spend(value.len())?;
        if value.len() > MAX_OUTPUT {
            return Err(TOO_LONG);
        }
        Ok(value)
    }

    fn term(&mut self, term: &'t Term, dot: &Value) -> RenderResult<Value> {
        self.spend(STEP_COST)?;
        let (root, path) = match term {
            Term::Literal(value) => return Ok(value.clone()),
            Term::Path(root, path) => (root, path),
        };
        let value = match root {
            PathRoot::Dot => dot.clone(),
            PathRoot::Variable(name) => self.variable(name),
            PathRoot::Pipeline(pipeline) => self.pipeline(pipeline, dot)?,
        };
        Ok(path.iter().fold(value, |value, name| value.field(name)))
    }
}

/// Returns what `range` goes over: the elements of a list with their indexes, the entries of a map with their
/// keys, and for a number all smaller ones.
fn entries(value: Value) -> Box<dyn Iterator<Item = (Value, Value)>> {
    match value {
        Value::List(values) => {
            let pair = move |number: i64| {
                let value = values.get(usize::try_from(number).ok()?)?.clone();
                Some((Value::Int(number), value))
            };
            Box::new((0..).map_while(pair))
        }
        Value::Map(entries) => {
            let entries = (*entries).clone().into_iter();
            Box::new(entries.map(|(name, value)| (Value::text(name), value)))
        }
        Value::Int(count) => {
            Box::new((0..count).map(|number| (Value::Int(number), Value::Int(number))))
        }
        _ => Box::new(std::iter::empty()),
    }
}
