//! Writing CBOR. Unlike that of the crate below it, this writer says null where JSON does: for `()`,
//! and so for a null within a value of any shape.

use std::convert::Infallible;
use std::fmt::Display;

use cbor4ii::core::enc::{self, Encode, Write};
use cbor4ii::core::types;
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::format::ErasedEntity;

/// What a value says of itself when it cannot be written.
#[derive(Debug)]
pub(super) struct Error(String);

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl From<enc::Error<Infallible>> for Error {
    fn from(error: enc::Error<Infallible>) -> Self {
        Self(error.to_string())
    }
}

/// Appends to a vector, which cannot fail.
struct Out<'o>(&'o mut Vec<u8>);

impl Write for Out<'_> {
    type Error = Infallible;

    fn push(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

pub(super) fn write(entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Error> {
    entity.serialize(&mut Out(out))
}

/// A list or map; its end is marked if its length was not known.
struct Items<'s, 'o> {
    out: &'s mut Out<'o>,
    open: bool,
}

impl<'s, 'o> Items<'s, 'o> {
    fn list(out: &'s mut Out<'o>, length: Option<usize>) -> Result<Self, Error> {
        match length {
            Some(length) => types::Array::<()>::bounded(length, out)?,
            None => types::Array::<()>::unbounded(out)?,
        }
        let open = length.is_none();
        Ok(Self { out, open })
    }

    fn map(out: &'s mut Out<'o>, length: Option<usize>) -> Result<Self, Error> {
        match length {
            Some(length) => types::Map::<()>::bounded(length, out)?,
            None => types::Map::<()>::unbounded(out)?,
        }
        let open = length.is_none();
        Ok(Self { out, open })
    }

    fn add<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.out)
    }

    fn add_field<T: ?Sized + Serialize>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        name.encode(self.out)?;
        self.add(value)
    }

    fn finish(self) -> Result<(), Error> {
        if self.open {
            types::Array::<()>::end(self.out)?;
        }
        Ok(())
    }
}

/// A map of one: the name of a variant, whose value follows.
fn variant(out: &mut Out<'_>, name: &str) -> Result<(), Error> {
    types::Map::<()>::bounded(1, out)?;
    name.encode(out)?;
    Ok(())
}

macro_rules! encoded {
    ($($method:ident($type:ty))*) => {$(
        fn $method(self, value: $type) -> Result<(), Error> {
            value.encode(self)?;
            Ok(())
        }
    )*};
}

impl<'s, 'o> Serializer for &'s mut Out<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'s, 'o>;
    type SerializeTuple = Items<'s, 'o>;
    type SerializeTupleStruct = Items<'s, 'o>;
    type SerializeTupleVariant = Items<'s, 'o>;
    type SerializeMap = Items<'s, 'o>;
    type SerializeStruct = Items<'s, 'o>;
    type SerializeStructVariant = Items<'s, 'o>;

    encoded! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64)
        serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64)
        serialize_u128(u128)
        serialize_f32(f32) serialize_f64(f64)
        serialize_str(&str)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        types::Bytes(value).encode(self)?;
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        types::Null.encode(self)?;
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        variant(self, name)?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'s, 'o>, Error> {
        Items::list(self, length)
    }

    fn serialize_tuple(self, length: usize) -> Result<Items<'s, 'o>, Error> {
        Items::list(self, Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Items<'s, 'o>, Error> {
        Items::list(self, Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Items<'s, 'o>, Error> {
        variant(self, name)?;
        Items::list(self, Some(length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Items<'s, 'o>, Error> {
        Items::map(self, length)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Items<'s, 'o>, Error> {
        Items::map(self, Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        length: usize,
    ) -> Result<Items<'s, 'o>, Error> {
        variant(self, name)?;
        Items::map(self, Some(length))
    }

    /// The same texts as in JSON, for dates and the like.
    fn is_human_readable(&self) -> bool {
        true
    }
}

macro_rules! collections {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                self.add(value)
            }

            fn end(self) -> Result<(), Error> {
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
        impl $trait for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.add_field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish()
            }
        }
    )*};
}
structs!(SerializeStruct SerializeStructVariant);

impl SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        self.add(key)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.add(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}
