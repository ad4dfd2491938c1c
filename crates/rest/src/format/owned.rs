//! Owned deserializers: those of the formats are implemented for a mutable reference.

/// Declares a deserializer that wraps one whose mutable reference is a deserializer, and converts its
/// errors.
macro_rules! owned {
    ($name:ident, $inner:ty, $error:ty) => {
        struct $name<'de>($inner);

        impl<'de> serde::Deserializer<'de> for $name<'de> {
            type Error = $error;

            $crate::format::owned::forward! {
                deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32
                deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32
                deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
                deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
                deserialize_option deserialize_unit deserialize_seq deserialize_map
                deserialize_identifier deserialize_ignored_any;
                deserialize_unit_struct(name: &'static str)
                deserialize_newtype_struct(name: &'static str)
                deserialize_tuple(length: usize)
                deserialize_tuple_struct(name: &'static str, length: usize)
                deserialize_struct(name: &'static str, fields: &'static [&'static str])
                deserialize_enum(name: &'static str, variants: &'static [&'static str])
            }

            fn is_human_readable(&self) -> bool {
                true
            }
        }
    };
}

/// Forwards each method.
macro_rules! forward {
    ($($plain:ident)*; $($method:ident($($argument:ident: $type:ty),*))*) => {
        $(
            fn $plain<V: serde::de::Visitor<'de>>(
                mut self,
                visitor: V,
            ) -> Result<V::Value, Self::Error> {
                serde::Deserializer::$plain(&mut self.0, visitor).map_err(Self::Error::from)
            }
        )*
        $(
            fn $method<V: serde::de::Visitor<'de>>(
                mut self,
                $($argument: $type,)*
                visitor: V,
            ) -> Result<V::Value, Self::Error> {
                serde::Deserializer::$method(&mut self.0, $($argument,)* visitor)
                    .map_err(Self::Error::from)
            }
        )*
    };
}

pub(super) use {forward, owned};
