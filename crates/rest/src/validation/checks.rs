//! Validation with garde: of entities that say how, and of arguments with rules.

use std::fmt::Display;

use garde::error::Kind;
use garde::rules::AsStr;
use garde::rules::length::{chars, simple};
use garde::rules::pattern::Matcher;
use garde::{Error, Path, Report, Validate};

use super::Faults;
use crate::ladder::Rung;
use crate::rejection::{FieldError, Rejection};
use crate::resource::Call;
use crate::response::Pattern;
use crate::route::Source;

pub use garde::rules;

/// How many faults an answer lists. A list of a million wrong items would otherwise be answered with
/// a million texts.
const MOST: usize = 1000;

/// The pointer of a place in a value.
fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    // garde lists the innermost part first.
    for (kind, part) in path.__iter().rev() {
        if kind != Kind::None {
            push(&mut pointer, part);
        }
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

    fn report(&mut self, report: &Report) {
        for (path, error) in report.iter() {
            self.add(pointer(path), error);
        }
    }

    fn check<T: Validate>(&mut self, value: &T, context: &T::Context) {
        if let Err(report) = value.validate_with(context) {
            self.report(&report);
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

/// A type whose context a filter may have set, or is the default one.
pub trait CheckDefault {
    type Value;
    fn check(
        &self,
        value: &Self::Value,
        call: &Call<'_>,
        place: Place<'_>,
    ) -> Result<(), Rejection>;
}

impl<T: Validate<Context: Context + Default>> CheckDefault for &&&Rung<T> {
    type Value = T;
    fn check(&self, value: &T, call: &Call<'_>, mut place: Place<'_>) -> Result<(), Rejection> {
        match call.request.values().get::<T::Context>() {
            Some(context) => place.check(value, context),
            None => place.check(value, &T::Context::default()),
        }
        Ok(())
    }
}

/// A type whose context a filter must have set.
pub trait CheckSet {
    type Value;
    fn check(
        &self,
        value: &Self::Value,
        call: &Call<'_>,
        place: Place<'_>,
    ) -> Result<(), Rejection>;
}

impl<T: Validate<Context: Context>> CheckSet for &&Rung<T> {
    type Value = T;
    fn check(&self, value: &T, call: &Call<'_>, mut place: Place<'_>) -> Result<(), Rejection> {
        let Some(context) = call.request.values().get::<T::Context>() else {
            return Err(Rejection::internal(format!(
                "no filter has set the `{}` that `{}` is validated with",
                std::any::type_name::<T::Context>(),
                std::any::type_name::<T>(),
            )));
        };
        place.check(value, context);
        Ok(())
    }
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

impl<T: Validate> CheckImpossible for &Rung<T> {
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

impl<T> CheckNothing for Rung<T> {
    type Value = T;
}

/// The length of a text is its characters, as a schema counts them; that of a list its items.
pub trait LengthChars {
    type Value;
    fn length(&self, value: &Self::Value, bounds: (usize, usize)) -> Result<(), Error>;
}

impl<T: chars::Chars> LengthChars for &Rung<T> {
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

impl<T: simple::Simple> LengthItems for Rung<T> {
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
            CheckDefault as _, CheckImpossible as _, CheckNothing as _, CheckSet as _,
        };
        (&&&&$crate::__private::ladder::Rung::<$type>::NEW).check($value, $call, $place)?;
    }};
}

/// Checks the length of a text or a list.
#[macro_export]
#[doc(hidden)]
macro_rules! __length {
    ($value:expr, $bounds:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::validation::{LengthChars as _, LengthItems as _};
        (&&$crate::__private::ladder::Rung::of($value)).length($value, $bounds)
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
