//! The CBOR deserializer. The format is self-describing, so most types are read the same way.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

use cbor4ii::core::dec::{self, Decode, Read, Reference};
use cbor4ii::core::types;
use serde::de::value::CowStrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

/// How deep lists and maps may be nested, as in JSON.
const DEPTH: u8 = 128;

const NULL: u8 = 0xf6;
const UNDEFINED: u8 = 0xf7;
const EMPTY_LIST: u8 = 0x80;
const POSITIVE_BIG: u8 = 0xc2;
const NEGATIVE_BIG: u8 = 0xc3;

/// Why a body cannot be read, in words for the client.
#[derive(Debug)]
pub(super) struct DecodeError(Cow<'static, str>);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string().into())
    }
}

impl From<dec::Error<Infallible>> for DecodeError {
    fn from(error: dec::Error<Infallible>) -> Self {
        Self(Cow::Borrowed(match error {
            dec::Error::Eof { .. } => "the body ends too early",
            dec::Error::RequireUtf8 { .. } => "a text is not UTF-8",
            dec::Error::RequireLength { .. } => "a string has no length",
            dec::Error::LengthOverflow { .. } | dec::Error::CastOverflow { .. } => {
                "a number or length is too large"
            }
            _ => "unexpected byte",
        }))
    }
}

/// The remaining bytes, and how much deeper they may be nested.
pub(super) struct CborReader<'de> {
    rest: &'de [u8],
    depth: u8,
}

impl<'de> Read<'de> for CborReader<'de> {
    type Error = Infallible;

    fn fill<'short>(&'short mut self, want: usize) -> Result<Reference<'de, 'short>, Infallible> {
        Ok(Reference::Long(self.rest.get(..want).unwrap_or(self.rest)))
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

impl<'de> CborReader<'de> {
    pub(super) fn new(bytes: &'de [u8]) -> Self {
        Self {
            rest: bytes,
            depth: DEPTH,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the initial byte of the next item. Tags are skipped: the type that is read decides what an
    /// item means.
    fn next(&mut self) -> Result<u8, DecodeError> {
        loop {
            match self.rest.first() {
                None => return Err(DecodeError(Cow::Borrowed("the body ends too early"))),
                Some(&byte) if byte >> 5 == 6 && !matches!(byte, POSITIVE_BIG | NEGATIVE_BIG) => {
                    types::Tag::<()>::tag(self)?;
                }
                Some(&byte) => return Ok(byte),
            }
        }
    }

    fn text(&mut self) -> Result<Cow<'de, str>, DecodeError> {
        Ok(<Cow<'de, str>>::decode(self)?)
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let Some(depth) = self.depth.checked_sub(1) else {
            let message = format!("nested more than {DEPTH} levels deep");
            return Err(DecodeError(message.into()));
        };
        self.depth = depth;
        let value = read(self);
        self.depth = depth + 1;
        value
    }

    /// Reads a list or map, which the visitor must read to its end.
    fn items<T>(
        &mut self,
        left: Option<usize>,
        read: impl FnOnce(&mut CborItems<'_, 'de>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        self.nested(|input| {
            let mut items = CborItems {
                input,
                left,
                ended: false,
            };
            let value = read(&mut items)?;
            if items.has_next()? {
                return Err(DecodeError(Cow::Borrowed("more items than expected")));
            }
            Ok(value)
        })
    }

    fn simple<V: Visitor<'de>>(&mut self, byte: u8, visitor: V) -> Result<V::Value, DecodeError> {
        match byte {
            0xf9 => {
                let types::F16(bits) = types::F16::decode(self)?;
                visitor.visit_f64(half(bits))
            }
            0xfa => visitor.visit_f32(f32::decode(self)?),
            0xfb => visitor.visit_f64(f64::decode(self)?),
            0xf4 | 0xf5 => visitor.visit_bool(bool::decode(self)?),
            NULL | UNDEFINED => {
                self.advance(1);
                visitor.visit_unit()
            }
            _ => Err(DecodeError(Cow::Borrowed("unexpected byte"))),
        }
    }
}

/// Converts a 16-bit float, which encoders use for short numbers.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let exponent = i32::from(bits >> 10 & 0x1f);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

impl<'de> Deserializer<'de> for &mut CborReader<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let byte = self.next()?;
        match (byte, byte >> 5) {
            (POSITIVE_BIG, _) => visitor.visit_u128(u128::decode(self)?),
            (NEGATIVE_BIG, _) => visitor.visit_i128(i128::decode(self)?),
            (_, 0) => visitor.visit_u64(u64::decode(self)?),
            (_, 1) => {
                let number = i128::decode(self)?;
                match i64::try_from(number) {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => visitor.visit_i128(number),
                }
            }
            (_, 2) => match <types::Bytes<Cow<'de, [u8]>>>::decode(self)?.0 {
                Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
                Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
            },
            (_, 3) => match self.text()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            (_, 4) => {
                let length = types::Array::<()>::len(self)?;
                self.items(length, |items| visitor.visit_seq(items))
            }
            (_, 5) => {
                let length = types::Map::<()>::len(self)?;
                self.items(length, |items| visitor.visit_map(items))
            }
            _ => self.simple(byte, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if matches!(self.next()?, NULL | UNDEFINED) {
            self.advance(1);
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    /// Some encoders write `()` as an empty list.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.next()? == EMPTY_LIST {
            self.advance(1);
            return visitor.visit_unit();
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.next()? >> 5 {
            3 => {
                let name: CowStrDeserializer<'_, DecodeError> =
                    CowStrDeserializer::new(self.text()?);
                visitor.visit_enum(name)
            }
            5 => {
                let length = types::Map::<()>::len(self)?;
                self.items(length, |items| {
                    if !items.take()? {
                        return Err(DecodeError(Cow::Borrowed("expected the name of a variant")));
                    }
                    visitor.visit_enum(CborVariant(items.input))
                })
            }
            _ => Err(DecodeError(Cow::Borrowed(
                "expected the name of a variant, or a map with one",
            ))),
        }
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The items of a list, or the keys and values of a map.
struct CborItems<'i, 'de> {
    input: &'i mut CborReader<'de>,
    /// `None` if a break byte marks the end.
    left: Option<usize>,
    ended: bool,
}

impl CborItems<'_, '_> {
    /// Whether there is another item, without taking it.
    fn has_next(&mut self) -> Result<bool, DecodeError> {
        if let Some(left) = self.left {
            return Ok(left > 0);
        }
        self.ended = self.ended || dec::is_break(self.input)?;
        Ok(!self.ended)
    }

    /// Whether there is another item, which the caller reads now.
    fn take(&mut self) -> Result<bool, DecodeError> {
        let next = self.has_next()?;
        if next {
            self.left = self.left.map(|left| left - 1);
        }
        Ok(next)
    }

    /// Returns the expected number of items: each has at least a byte, whatever the length says.
    fn size(&self) -> Option<usize> {
        self.left.map(|left| left.min(self.input.rest.len()))
    }
}

impl<'de> SeqAccess<'de> for &mut CborItems<'_, 'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        if self.take()? {
            seed.deserialize(&mut *self.input).map(Some)
        } else {
            Ok(None)
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.size()
    }
}

impl<'de> MapAccess<'de> for &mut CborItems<'_, 'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        if self.take()? {
            seed.deserialize(&mut *self.input).map(Some)
        } else {
            Ok(None)
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        seed.deserialize(&mut *self.input)
    }

    fn size_hint(&self) -> Option<usize> {
        self.size()
    }
}

/// The name of an enum variant, and its content.
struct CborVariant<'i, 'de>(&'i mut CborReader<'de>);

impl<'de> EnumAccess<'de> for CborVariant<'_, 'de> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), DecodeError> {
        let name = seed.deserialize(&mut *self.0)?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for CborVariant<'_, 'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        <()>::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, DecodeError> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.0.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.0.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_read() {
        // The examples of RFC 8949, appendix A.
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0x3e00, 1.5),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x0400, 0.000_061_035_156_25),
            (0xc400, -4.0),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits).to_bits(), f64::to_bits(expected), "{bits:04x}");
        }
        assert!(half(0x7e00).is_nan());
    }
}
