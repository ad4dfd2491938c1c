//! The CBOR serializer. Unlike that of cbor4ii, it writes null where JSON does: for `()`, and so for a
//! null within a JSON value.

use std::convert::Infallible;
use std::fmt::Display;

use cbor4ii::core::enc::{self, Encode, Write};
use cbor4ii::core::types;
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::format::ErasedEntity;

/// Why a value cannot be written.
#[derive(Debug)]
pub(super) struct EncodeError(String);

impl Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodeError {}

impl ser::Error for EncodeError {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<enc::Error<Infallible>> for EncodeError {
    fn from(error: enc::Error<Infallible>) -> Self {
        Self(error.to_string())
    }
}

/// A serializer that appends to a vector, which cannot fail.
struct CborWriter<'o>(&'o mut Vec<u8>);

impl Write for CborWriter<'_> {
    type Error = Infallible;

    fn push(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

pub(super) fn write(entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    entity.serialize(&mut CborWriter(out))
}

/// A list or map; a break byte marks its end if the length was not known.
struct Collection<'s, 'o> {
    out: &'s mut CborWriter<'o>,
    open: bool,
}

impl<'s, 'o> Collection<'s, 'o> {
    fn list(out: &'s mut CborWriter<'o>, length: Option<usize>) -> Result<Self, EncodeError> {
        match length {
            Some(length) => types::Array::<()>::bounded(length, out)?,
            None => types::Array::<()>::unbounded(out)?,
        }
        let open = length.is_none();
        Ok(Self { out, open })
    }

    fn map(out: &'s mut CborWriter<'o>, length: Option<usize>) -> Result<Self, EncodeError> {
        match length {
            Some(length) => types::Map::<()>::bounded(length, out)?,
            None => types::Map::<()>::unbounded(out)?,
        }
        let open = length.is_none();
        Ok(Self { out, open })
    }

    fn add<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut *self.out)
    }

    fn add_field<T: ?Sized + Serialize>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), EncodeError> {
        name.encode(self.out)?;
        self.add(value)
    }

    fn finish(self) -> Result<(), EncodeError> {
        if self.open {
            types::Array::<()>::end(self.out)?;
        }
        Ok(())
    }
}

/// Starts a map of one entry: the name of a variant, whose value follows.
fn variant(out: &mut CborWriter<'_>, name: &str) -> Result<(), EncodeError> {
    types::Map::<()>::bounded(1, out)?;
    name.encode(out)?;
    Ok(())
}

macro_rules! encoded {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, value: $type) -> Result<(), EncodeError> {
            value.encode(self)?;
            Ok(())
        }
    )*};
}

impl<'s, 'o> Serializer for &'s mut CborWriter<'o> {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = Collection<'s, 'o>;
    type SerializeTuple = Collection<'s, 'o>;
    type SerializeTupleStruct = Collection<'s, 'o>;
    type SerializeTupleVariant = Collection<'s, 'o>;
    type SerializeMap = Collection<'s, 'o>;
    type SerializeStruct = Collection<'s, 'o>;
    type SerializeStructVariant = Collection<'s, 'o>;

    encoded! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128)
        serialize_f32(f32) serialize_f64(f64)
        serialize_str(&str)
    }

    fn serialize_char(self, value: char) -> Result<(), EncodeError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), EncodeError> {
        types::Bytes(value).encode(self)?;
        Ok(())
    }

    fn serialize_none(self) -> Result<(), EncodeError> {
        types::Null.encode(self)?;
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), EncodeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), EncodeError> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), EncodeError> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<(), EncodeError> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        variant(self, name)?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Collection<'s, 'o>, EncodeError> {
        Collection::list(self, length)
    }

    fn serialize_tuple(self, length: usize) -> Result<Collection<'s, 'o>, EncodeError> {
        Collection::list(self, Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Collection<'s, 'o>, EncodeError> {
        Collection::list(self, Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Collection<'s, 'o>, EncodeError> {
        variant(self, name)?;
        Collection::list(self, Some(length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Collection<'s, 'o>, EncodeError> {
        Collection::map(self, length)
    }

    fn serialize_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Collection<'s, 'o>, EncodeError> {
        Collection::map(self, Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Collection<'s, 'o>, EncodeError> {
        variant(self, name)?;
        Collection::map(self, Some(length))
    }

    /// Dates and the like are the same text as in JSON.
    fn is_human_readable(&self) -> bool {
        true
    }
}

macro_rules! collections {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Collection<'_, '_> {
            type Ok = ();
            type Error = EncodeError;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), EncodeError> {
                self.add(value)
            }

            fn end(self) -> Result<(), EncodeError> {
                self.finish()
            }
        }
    )*};
}
collections! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! structs {
    ($($trait:ident)*) => {$(
        impl $trait for Collection<'_, '_> {
            type Ok = ();
            type Error = EncodeError;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), EncodeError> {
                self.add_field(name, value)
            }

            fn end(self) -> Result<(), EncodeError> {
                self.finish()
            }
        }
    )*};
}
structs!(SerializeStruct SerializeStructVariant);

impl SerializeMap for Collection<'_, '_> {
    type Ok = ();
    type Error = EncodeError;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), EncodeError> {
        self.add(key)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.add(value)
    }

    fn end(self) -> Result<(), EncodeError> {
        self.finish()
    }
}
