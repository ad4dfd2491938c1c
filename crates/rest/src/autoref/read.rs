//! The levels of parameters, and of matrix parameters.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Probe;
use crate::rejection::{Invalid, Rejection};
use crate::source::{FromParam, Input};

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, Invalid> {
    text.parse()
        .map_err(|error: T::Err| Invalid::because(error))
}

/// Required when no other level fits; implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a request parameter",
    label = "this type is not a parameter",
    note = "implement `std::str::FromStr`, `serde::Deserialize` or `innkeeper_rest::FromParam` for it"
)]
pub trait Parameter: Sized {}

macro_rules! read_levels {
    ($($trait:ident [$($refs:tt)*] <$type:ty> ($($bound:tt)*) |$input:ident| $read:expr;)*) => {$(
        pub trait $trait<'r> {
            type Read;
            fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
        }

        impl<'r, T: $($bound)*> $trait<'r> for $($refs)* Probe<$type> {
            type Read = $type;
            fn read(&self, $input: &'r Input<'r>) -> Result<$type, Rejection> {
                $read
            }
        }
    )*};
}
read_levels! {
    ReadParam [&&&&&&&] <T> (FromParam<'r>) |input| input.one_param();
    ReadOptionParam [&&&&&&] <Option<T>> (FromParam<'r>) |input| input.optional(T::from_param);
    ReadListParam [&&&&&] <Vec<T>> (FromParam<'r>) |input| input.list(T::from_param);
    ReadText [&&&&] <T> (FromStr<Err: Display>) |input| input.one(parsed);
    ReadOptionText [&&&] <Option<T>> (FromStr<Err: Display>) |input| input.optional(parsed);
    ReadListText [&&] <Vec<T>> (FromStr<Err: Display>) |input| input.list(parsed);
    ReadDeserialized [&] <T> (Deserialize<'r>) |input| input.deserialized();
}

pub trait ReadUnsupported<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>
    where
        Self::Read: Parameter;
}

impl<'r, T> ReadUnsupported<'r> for Probe<T> {
    type Read = T;
    fn read(&self, input: &'r Input<'r>) -> Result<T, Rejection> {
        Err(input.malformed(&"cannot be read"))
    }
}

/// The level of JSON of any shape, above the others: it could be parsed from text, but here it is the
/// result of a conversion, or the text as a string.
pub trait ReadValue<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
}

macro_rules! read_values {
    ($($type:ty;)*) => {$(
        impl<'r> ReadValue<'r> for &&&&&&&&Probe<$type> {
            type Read = $type;
            fn read(&self, input: &'r Input<'r>) -> Result<$type, Rejection> {
                input.deserialized()
            }
        }
    )*};
}
read_values! {
    Value;
    Option<Value>;
    Vec<Value>;
    Map<String, Value>;
}

/// The level of matrix parameters: they are a map, so a type that could be parsed from text is
/// deserialized.
pub trait ReadMap<'r> {
    type Read;
    fn read(&self, input: &'r Input<'r>) -> Result<Self::Read, Rejection>;
}

impl<'r, T: Deserialize<'r>> ReadMap<'r> for &&&&&&&&&Probe<T> {
    type Read = T;
    fn read(&self, input: &'r Input<'r>) -> Result<T, Rejection> {
        input.deserialized()
    }
}

/// Converts an [`Input`] to a type.
#[macro_export]
#[doc(hidden)]
macro_rules! __read {
    ($type:ty, $input:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{
            ReadDeserialized as _, ReadListParam as _, ReadListText as _, ReadOptionParam as _,
            ReadOptionText as _, ReadParam as _, ReadText as _, ReadUnsupported as _,
            ReadValue as _,
        };
        (&&&&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).read($input)
    }};
}

/// Converts matrix parameters to a type.
#[macro_export]
#[doc(hidden)]
macro_rules! __read_map {
    ($type:ty, $input:expr) => {{
        #[allow(unused_imports)]
        use $crate::__private::autoref::{
            ReadDeserialized as _, ReadListParam as _, ReadListText as _, ReadMap as _,
            ReadOptionParam as _, ReadOptionText as _, ReadParam as _, ReadText as _,
            ReadUnsupported as _, ReadValue as _,
        };
        (&&&&&&&&&&$crate::__private::autoref::Probe::<$type>::NEW).read($input)
    }};
}
