//! Parsed templates.

use std::collections::BTreeMap;

use crate::error::TemplateError;
use crate::lexer;
use crate::parser::{self, ParseOptions};
use crate::render::Renderer;
use crate::syntax::Block;
use crate::value::Value;

/// A template that was parsed and checked.
#[derive(Debug, Clone)]
pub struct Template {
    main: Block,
    /// The templates that it defines.
    defined: BTreeMap<String, Block>,
}

/// The format that a template is rendered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// HTML: every value is escaped for its context.
    Html,
    /// Plain text: values are written as they are.
    Text,
}

impl Template {
    /// Parses a template that may name any field.
    ///
    /// # Errors
    ///
    /// If the source has a mistake; the error says where.
    ///
    /// ```
    /// use innkeeper_gotemplate::Template;
    ///
    /// let error = Template::parse("Hello\n{{ if .Name }}").unwrap_err();
    /// assert_eq!(error.to_string(), "line 2, column 4: `if` has no `end`");
    /// assert_eq!(error.location(), Some((2, 4)));
    /// ```
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        Self::parse_with(source, ParseOptions::default())
    }

    /// Parses a template and checks it against the fields of the data.
    ///
    /// # Errors
    ///
    /// If the source has a mistake or names a field that the data does not have.
    ///
    /// ```
    /// use innkeeper_gotemplate::{ParseOptions, Template};
    ///
    /// let options = ParseOptions {
    ///     fields: Some(&["Name", "Email"]),
    ///     ..ParseOptions::default()
    /// };
    /// let error = Template::parse_with("{{ .Nmae }}", options).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "line 1, column 4: there is no `.Nmae`; there are .Name, .Email"
    /// );
    /// ```
    pub fn parse_with(source: &str, options: ParseOptions<'_>) -> Result<Self, TemplateError> {
        let parsed = lexer::tokenize(source).and_then(|tokens| parser::parse(tokens, options));
        let (main, defined) = parsed.map_err(|error| TemplateError::in_source(source, error))?;
        Ok(Self { main, defined })
    }

    /// Renders the template with this data as the dot.
    ///
    /// # Errors
    ///
    /// If the rendering exceeds a limit; see the [limits](crate#limits).
    pub fn render(&self, data: &Value, output: Output) -> Result<String, TemplateError> {
        self.render_block(&self.main, data, output)
    }

    /// Renders the template that is defined under a name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the rendering exceeds a limit; see the [limits](crate#limits).
    pub fn render_defined(
        &self,
        name: &str,
        data: &Value,
        output: Output,
    ) -> Option<Result<String, TemplateError>> {
        let block = self.defined.get(name)?;
        Some(self.render_block(block, data, output))
    }

    fn render_block(
        &self,
        block: &Block,
        data: &Value,
        output: Output,
    ) -> Result<String, TemplateError> {
        Renderer::new(&self.defined, output == Output::Html)
            .run(block, data)
            .map_err(TemplateError::rendering)
    }
}
