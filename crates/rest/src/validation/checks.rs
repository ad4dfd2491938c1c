//! Validation with garde: of entities that implement `Validate`, and of arguments with rules.

use std::fmt::Display;

use garde::error::Kind;
use garde::rules::AsStr;
use garde::rules::length::{chars, simple};
use garde::rules::pattern::Matcher;
use garde::{Error, Path, Report, Validate};
use serde::de::DeserializeOwned;

use super::Violations;
use super::names::{PathSegment, rename_to_wire};
use crate::autoref::Probe;
use crate::call::Call;
use crate::rejection::{FieldError, Rejection};
use crate::response::LazyRegex;
use crate::route::Source;

pub use garde::rules;

/// How many violations a response lists. A list of a million wrong items would otherwise be answered
/// with a million messages.
const MAX_VIOLATIONS: usize = 1000;

/// Returns the JSON pointer of a path, with the names that the client sends.
fn pointer(path: &Path, rename: fn(&mut [PathSegment])) -> String {
    // garde lists the innermost segment first.
    let mut segments: Vec<PathSegment> = path
        .__iter()
        .rev()
        .filter(|(kind, _)| *kind != Kind::None)
        .map(|(kind, name)| PathSegment {
            name: name.to_string(),
            index: kind == Kind::Index,
        })
        .collect();
    rename(&mut segments);
    let mut pointer = String::new();
    for segment in segments {
        push(&mut pointer, &segment.name);
    }
    pointer
}

fn push(pointer: &mut String, segment: &str) {
    pointer.push('/');
    pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
}

impl Violations {
    /// Starts the checks of an argument.
    pub fn at(&mut self, source: Source, name: &'static str) -> CheckedArgument<'_> {
        CheckedArgument {
            violations: self,
            source,
            name,
        }
    }
}

/// An argument that is being checked.
#[derive(Debug)]
pub struct CheckedArgument<'f> {
    violations: &'f mut Violations,
    source: Source,
    name: &'static str,
}

impl CheckedArgument<'_> {
    fn add(&mut self, pointer: String, detail: &dyn Display) {
        if self.violations.0.len() >= MAX_VIOLATIONS {
            return;
        }
        let detail = detail.to_string();
        self.violations.0.push(if self.source == Source::Entity {
            FieldError::new(pointer, detail)
        } else {
            FieldError::of_parameter(self.source, self.name, pointer, detail)
        });
    }

    /// Records the result of a rule for the argument.
    pub fn record(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.add(String::new(), &error);
        }
    }

    /// Records the result of a rule for an item of the argument.
    pub fn record_item(&mut self, key: &dyn Display, result: Result<(), Error>) {
        if let Err(error) = result {
            let key = key.to_string();
            let mut pointer = String::new();
            // An `Option` is a list without keys.
            if !key.is_empty() {
                push(&mut pointer, &key);
            }
            self.add(pointer, &error);
        }
    }

    fn check<T: Validate>(
        &mut self,
        value: &T,
        context: &T::Context,
        rename: fn(&mut [PathSegment]),
    ) {
        if let Err(report) = value.validate_with(context) {
            self.report(&report, rename);
        }
    }

    #[cold]
    fn report(&mut self, report: &Report, rename: fn(&mut [PathSegment])) {
        for (path, error) in report.iter().take(MAX_VIOLATIONS) {
            self.add(pointer(path, rename), error);
        }
    }
}

impl AsStr for LazyRegex {
    fn as_str(&self) -> &str {
        LazyRegex::as_str(self)
    }
}

impl Matcher for LazyRegex {
    fn is_match(&self, text: &str) -> bool {
        LazyRegex::is_match(self, text)
    }
}

/// A validation context that can be stored in the values of the request.
pub trait StorableContext: Clone + Send + Sync + 'static {}
impl<C: Clone + Send + Sync + 'static> StorableContext for C {}

/// Returns the context that a filter has set, or the default one.
#[expect(clippy::unnecessary_wraps, reason = "its sibling can fail")]
fn context_or_default<T: Validate<Context: StorableContext + Default>>(
    call: &Call<'_>,
) -> Result<T::Context, Rejection> {
    let set = call.request.values().get::<T::Context>();
    Ok(set.cloned().unwrap_or_default())
}

/// Returns the context, which a filter must have set.
fn context<T: Validate<Context: StorableContext>>(
    call: &Call<'_>,
) -> Result<T::Context, Rejection> {
    let set = call.request.values().get::<T::Context>();
    set.cloned().ok_or_else(|| {
        Rejection::internal(format!(
            "no filter has set the `{}` that `{}` is validated with",
            std::any::type_name::<T::Context>(),
            std::any::type_name::<T>(),
        ))
    })
}

/// Keeps the names of the fields: the type does not tell those on the wire.
fn keep_names(_: &mut [PathSegment]) {}

macro_rules! check_levels {
    ($($trait:ident [$($refs:tt)*] ($($bound:tt)*) $context:path, $rename:expr;)*) => {$(
        pub trait $trait {
            type Value;
            fn check(
                &self,
                value: &Self::Value,
                call: &Call<'_>,
                argument: CheckedArgument<'_>,
            ) -> Result<(), Rejection>;
        }

        impl<T: $($bound)*> $trait for $($refs)* Probe<T> {
            type Value = T;
            fn check(
                &self,
                value: &T,
                call: &Call<'_>,
                mut argument: CheckedArgument<'_>,
            ) -> Result<(), Rejection> {
                argument.check(value, &$context(call)?, $rename);
                Ok(())
            }
        }
    )*};
}
check_levels! {
    CheckDefaultContextRenamed [&&&&&] (Validate<Context: StorableContext + Default> + DeserializeOwned)
        context_or_default::<T>, rename_to_wire::<T>;
    CheckFilterContextRenamed [&&&&] (Validate<Context: StorableContext> + DeserializeOwned)
        context::<T>, rename_to_wire::<T>;
    CheckDefaultContext [&&&] (Validate<Context: StorableContext + Default>) context_or_default::<T>, keep_names;
    CheckFilterContext [&&] (Validate<Context: StorableContext>) context::<T>, keep_names;
}

/// Required when a context cannot be stored with the request; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "an entity cannot be validated with `{Self}`",
    label = "its context cannot be kept with the request",
    note = "make the context `Clone + Send + Sync + 'static`, and have a filter set it if it is not \
        `Default`"
)]
pub trait ValidationContext {}

/// The level of a type whose context cannot be stored with the request.
pub trait CheckContextUnsupported {
    type Value;
    type Missing;
    fn check(&self, _: &Self::Value, _: &Call<'_>, _: CheckedArgument<'_>) -> Result<(), Rejection>
    where
        Self::Missing: ValidationContext,
    {
        Err(Rejection::internal(
            "the validation context cannot be kept with the request",
        ))
    }
}

impl<T: Validate> CheckContextUnsupported for &Probe<T> {
    type Value = T;
    type Missing = T::Context;
}

/// The level of a type that does not implement `Validate`.
pub trait CheckSkipped {
    type Value;
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it compiles to nothing")]
    fn check(
        &self,
        _: &Self::Value,
        _: &Call<'_>,
        _: CheckedArgument<'_>,
    ) -> Result<(), Rejection> {
        Ok(())
    }
}

impl<T> CheckSkipped for Probe<T> {
    type Value = T;
}

/// Required when a type with `dive` does not implement `Validate`; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it is validated",
    label = "this type has no rules to dive into",
    note = "derive `garde::Validate` for it, or write a rule such as `range(min = 1)`"
)]
pub trait Validated {}

/// The level of a type with `dive` that does not implement `Validate`.
pub trait DiveUnsupported {
    type Value;
    fn check(&self, _: &Self::Value, _: &Call<'_>, _: CheckedArgument<'_>) -> Result<(), Rejection>
    where
        Self::Value: Validated,
    {
        Err(Rejection::internal("the type has no validation rules"))
    }
}

impl<T> DiveUnsupported for Probe<T> {
    type Value = T;
}

/// A number, which has a range.
#[diagnostic::on_unimplemented(
    message = "`range` is a rule for numbers, and `{Self}` is not a number",
    label = "this rule does not fit the argument",
    note = "write `length(…)` for a text or a list, and `inner(range(…))` for the numbers in a list"
)]
pub trait Number {
    /// The type of its limits.
    type Limit;
    fn within(&self, limits: (Option<Self::Limit>, Option<Self::Limit>)) -> Result<(), Error>;
}

#[diagnostic::do_not_recommend]
impl<T: rules::range::Bounds> Number for T {
    type Limit = T::Size;
    fn within(&self, limits: (Option<T::Size>, Option<T::Size>)) -> Result<(), Error> {
        rules::range::apply(self, limits)
    }
}

/// Checks the range of a number.
pub fn range<T: Number>(
    value: &T,
    limits: (Option<T::Limit>, Option<T::Limit>),
) -> Result<(), Error> {
    value.within(limits)
}

/// The length of a text in characters, as JSON Schema counts them.
pub trait LengthChars {
    type Value;
    fn length(&self, value: &Self::Value, bounds: (usize, usize)) -> Result<(), Error>;
}

impl<T: chars::Chars> LengthChars for &Probe<T> {
    type Value = T;
    fn length(&self, value: &T, bounds: (usize, usize)) -> Result<(), Error> {
        chars::apply(value, bounds)
    }
}

/// The length of a list in items.
pub trait LengthItems {
    type Value;
    fn length(&self, value: &Self::Value, bounds: (usize, usize)) -> Result<(), Error>;
}

impl<T: simple::Simple> LengthItems for Probe<T> {
    type Value = T;
    fn length(&self, value: &T, bounds: (usize, usize)) -> Result<(), Error> {
        simple::apply(value, bounds)
    }
}

/// Validates an entity if its type implements `Validate`.
#[macro_export]
#[doc(hidden)]
macro_rules! __check {
    ($type:ty, $value:expr, $call:expr, $argument:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{
            CheckContextUnsupported as _, CheckDefaultContext as _,
            CheckDefaultContextRenamed as _, CheckFilterContext as _,
            CheckFilterContextRenamed as _, CheckSkipped as _,
        };
        (&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).check($value, $call, $argument)?;
    }};
}

/// Validates a value whose type must implement `Validate`.
#[macro_export]
#[doc(hidden)]
macro_rules! __dive {
    ($type:ty, $value:expr, $call:expr, $argument:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{
            CheckContextUnsupported as _, CheckDefaultContext as _,
            CheckDefaultContextRenamed as _, CheckFilterContext as _,
            CheckFilterContextRenamed as _, DiveUnsupported as _,
        };
        (&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).check($value, $call, $argument)?;
    }};
}

/// Checks the length of a text or a list.
#[macro_export]
#[doc(hidden)]
macro_rules! __length {
    ($value:expr, $bounds:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{LengthChars as _, LengthItems as _};
        (&&$crate::__private::autoref::Probe::of($value)).length($value, $bounds)
    }};
}

/// Wraps the checks of a `#[validate]`.
#[macro_export]
#[doc(hidden)]
macro_rules! __validate {
    ($($statement:tt)*) => {
        $($statement)*
    };
}
