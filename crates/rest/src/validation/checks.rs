//! Validation with garde: of entities that say how, and of arguments with rules.

use std::fmt::Display;

use garde::error::Kind;
use garde::rules::AsStr;
use garde::rules::length::{chars, simple};
use garde::rules::pattern::Matcher;
use garde::{Error, Path, Report, Validate};
use serde::de::DeserializeOwned;

use super::Faults;
use super::names::{Part, in_document};
use crate::autoref::Probe;
use crate::rejection::{FieldError, Rejection};
use crate::resource::Call;
use crate::response::Pattern;
use crate::route::Source;

pub use garde::rules;

/// How many faults an answer lists. A list of a million wrong items would otherwise be answered with
/// a million texts.
const MOST: usize = 1000;

/// The pointer of a place in a value, in the words of the document.
fn pointer(path: &Path, rename: fn(&mut [Part])) -> String {
    // garde lists the innermost part first.
    let mut parts: Vec<Part> = path
        .__iter()
        .rev()
        .filter(|(kind, _)| *kind != Kind::None)
        .map(|(kind, name)| Part {
            name: name.to_string(),
            index: kind == Kind::Index,
        })
        .collect();
    rename(&mut parts);
    let mut pointer = String::new();
    for part in parts {
        push(&mut pointer, &part.name);
    }
    pointer
}

fn push(pointer: &mut String, part: &str) {
    pointer.push('/');
    pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
}

impl Faults {
    /// The place of an argument.
    pub fn at(&mut self, source: Source, name: &'static str) -> Place<'_> {
        Place {
            faults: self,
            source,
            name,
        }
    }
}

/// An argument that is being checked.
#[derive(Debug)]
pub struct Place<'f> {
    faults: &'f mut Faults,
    source: Source,
    name: &'static str,
}

impl Place<'_> {
    fn add(&mut self, pointer: String, detail: &dyn Display) {
        if self.faults.0.len() >= MOST {
            return;
        }
        let detail = detail.to_string();
        self.faults.0.push(if self.source == Source::Entity {
            FieldError::new(pointer, detail)
        } else {
            FieldError::of_parameter(self.source, self.name, pointer, detail)
        });
    }

    /// Notes what a rule says of the argument.
    pub fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.add(String::new(), &error);
        }
    }

    /// Notes what a rule says of an item of the argument.
    pub fn note_item(&mut self, key: &dyn Display, result: Result<(), Error>) {
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

    fn check<T: Validate>(&mut self, value: &T, context: &T::Context, rename: fn(&mut [Part])) {
        if let Err(report) = value.validate_with(context) {
            self.report(&report, rename);
        }
    }

    #[cold]
    fn report(&mut self, report: &Report, rename: fn(&mut [Part])) {
        for (path, error) in report.iter().take(MOST) {
            self.add(pointer(path, rename), error);
        }
    }
}

impl AsStr for Pattern {
    fn as_str(&self) -> &str {
        Pattern::as_str(self)
    }
}

impl Matcher for Pattern {
    fn is_match(&self, text: &str) -> bool {
        Pattern::is_match(self, text)
    }
}

/// A context that can wait for its entity in the values of the request.
pub trait Context: Clone + Send + Sync + 'static {}
impl<C: Clone + Send + Sync + 'static> Context for C {}

/// The context of a call: what a filter has set, or the default one.
#[expect(clippy::unnecessary_wraps, reason = "its sibling can fail")]
fn default_or_set<T: Validate<Context: Context + Default>>(
    call: &Call<'_>,
) -> Result<T::Context, Rejection> {
    let set = call.request.values().get::<T::Context>();
    Ok(set.cloned().unwrap_or_default())
}

/// The context of a call, which a filter must have set.
fn set<T: Validate<Context: Context>>(call: &Call<'_>) -> Result<T::Context, Rejection> {
    let set = call.request.values().get::<T::Context>();
    set.cloned().ok_or_else(|| {
        Rejection::internal(format!(
            "no filter has set the `{}` that `{}` is validated with",
            std::any::type_name::<T::Context>(),
            std::any::type_name::<T>(),
        ))
    })
}

/// Leaves the names of a type that does not tell others.
fn as_they_are(_: &mut [Part]) {}

macro_rules! check_levels {
    ($($trait:ident [$($refs:tt)*] ($($bound:tt)*) $context:path, $rename:expr;)*) => {$(
        pub trait $trait {
            type Value;
            fn check(
                &self,
                value: &Self::Value,
                call: &Call<'_>,
                place: Place<'_>,
            ) -> Result<(), Rejection>;
        }

        impl<T: $($bound)*> $trait for $($refs)* Probe<T> {
            type Value = T;
            fn check(
                &self,
                value: &T,
                call: &Call<'_>,
                mut place: Place<'_>,
            ) -> Result<(), Rejection> {
                place.check(value, &$context(call)?, $rename);
                Ok(())
            }
        }
    )*};
}
check_levels! {
    CheckDefaultNamed [&&&&&] (Validate<Context: Context + Default> + DeserializeOwned)
        default_or_set::<T>, in_document::<T>;
    CheckSetNamed [&&&&] (Validate<Context: Context> + DeserializeOwned)
        set::<T>, in_document::<T>;
    CheckDefault [&&&] (Validate<Context: Context + Default>) default_or_set::<T>, as_they_are;
    CheckSet [&&] (Validate<Context: Context>) set::<T>, as_they_are;
}

/// Asked for when a context cannot be kept with the request.
#[diagnostic::on_unimplemented(
    message = "an entity cannot be validated with `{Self}`",
    label = "its context cannot be kept with the request",
    note = "make the context `Clone + Send + Sync + 'static`, and have a filter set it if it is not \
        `Default`"
)]
pub trait ValidationContext {}

/// The rung of a type whose context is out of reach.
pub trait CheckImpossible {
    type Value;
    type Missing;
    fn check(&self, _: &Self::Value, _: &Call<'_>, _: Place<'_>) -> Result<(), Rejection>
    where
        Self::Missing: ValidationContext,
    {
        Err(Rejection::internal("a context out of reach"))
    }
}

impl<T: Validate> CheckImpossible for &Probe<T> {
    type Value = T;
    type Missing = T::Context;
}

/// The rung of a type that says nothing.
pub trait CheckNothing {
    type Value;
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "nothing is to be left of it")]
    fn check(&self, _: &Self::Value, _: &Call<'_>, _: Place<'_>) -> Result<(), Rejection> {
        Ok(())
    }
}

impl<T> CheckNothing for Probe<T> {
    type Value = T;
}

/// Asked for when a type is told to be validated and does not say how.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how it is validated",
    label = "this type has no rules to dive into",
    note = "derive `garde::Validate` for it, or write a rule such as `range(min = 1)`"
)]
pub trait Validated {}

/// The rung of a type that is told to be validated and says nothing.
pub trait DiveNothing {
    type Value;
    fn check(&self, _: &Self::Value, _: &Call<'_>, _: Place<'_>) -> Result<(), Rejection>
    where
        Self::Value: Validated,
    {
        Err(Rejection::internal("a type without rules"))
    }
}

impl<T> DiveNothing for Probe<T> {
    type Value = T;
}

/// What has a range.
#[diagnostic::on_unimplemented(
    message = "`range` is a rule for numbers, and `{Self}` is none",
    label = "this rule does not fit the argument",
    note = "write `length(…)` for a text or a list, and `inner(range(…))` for the numbers in a list"
)]
pub trait Number {
    /// What its limits are.
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

/// Checks a number.
pub fn range<T: Number>(
    value: &T,
    limits: (Option<T::Limit>, Option<T::Limit>),
) -> Result<(), Error> {
    value.within(limits)
}

/// The length of a text is its characters, as a schema counts them; that of a list its items.
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

/// The length of a list.
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

/// Checks an entity, if its type says how.
#[macro_export]
#[doc(hidden)]
macro_rules! __check {
    ($type:ty, $value:expr, $call:expr, $place:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{
            CheckDefault as _, CheckDefaultNamed as _, CheckImpossible as _, CheckNothing as _,
            CheckSet as _, CheckSetNamed as _,
        };
        (&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).check($value, $call, $place)?;
    }};
}

/// Checks a value whose type must say how.
#[macro_export]
#[doc(hidden)]
macro_rules! __dive {
    ($type:ty, $value:expr, $call:expr, $place:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{
            CheckDefault as _, CheckDefaultNamed as _, CheckImpossible as _, CheckSet as _,
            CheckSetNamed as _, DiveNothing as _,
        };
        (&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).check($value, $call, $place)?;
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

/// What `#[validate]` on an argument becomes.
#[macro_export]
#[doc(hidden)]
macro_rules! __validate {
    ($($statement:tt)*) => {
        $($statement)*
    };
}
