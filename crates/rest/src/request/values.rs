//! Values that filters attach to a request and handlers read with `#[value]`.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use http::Extensions;

use super::{ClientAddress, RequestId};

/// Values that filters set and `#[value]` reads: one per type, or several per type by name.
///
/// ```
/// use innkeeper_rest::Values;
///
/// #[derive(Clone, PartialEq, Debug)]
/// struct Caller(u64);
///
/// let mut values = Values::default();
/// values.set(Caller(7));
/// values.set_named("region", "north".to_owned());
/// assert_eq!(values.get::<Caller>(), Some(&Caller(7)));
/// assert_eq!(values.get_named::<String>("region").map(String::as_str), Some("north"));
/// ```
#[derive(Default)]
pub struct Values {
    /// Nearly every request has these two, so they are not boxed.
    request_id: Option<RequestId>,
    client: Option<ClientAddress>,
    /// Few, so that a linear search costs less than a map.
    typed: Vec<TypedValue>,
    /// Values from tower layers. A value in `typed` hides one of the same type here.
    extensions: Extensions,
    /// Rarely used, so it takes little room while it is absent.
    named: Option<Box<NamedValues>>,
}

type NamedValues = Vec<(Cow<'static, str>, Box<dyn Any + Send + Sync>)>;

/// A value, and the function that hands it to tower layers.
struct TypedValue {
    value: Box<dyn Any + Send + Sync>,
    export: fn(Box<dyn Any + Send + Sync>, &mut Extensions),
}

fn export<T: Clone + Send + Sync + 'static>(
    value: Box<dyn Any + Send + Sync>,
    extensions: &mut Extensions,
) {
    if let Ok(value) = value.downcast::<T>() {
        extensions.insert(*value);
    }
}

impl Values {
    /// Sets the value of this type, replacing an earlier one.
    pub fn set<T: Clone + Send + Sync + 'static>(&mut self, value: T) {
        if let Some(field) = self.field_mut() {
            *field = Some(value);
            return;
        }
        for typed in &mut self.typed {
            if let Some(old) = typed.value.downcast_mut() {
                *old = value;
                return;
            }
        }
        self.typed.push(TypedValue {
            value: Box::new(value),
            export: export::<T>,
        });
    }

    /// Sets a value under a name, replacing an earlier one of that name and type.
    pub fn set_named<T>(&mut self, name: impl Into<Cow<'static, str>>, value: T)
    where
        T: Clone + Send + Sync + 'static,
    {
        let name = name.into();
        let named = self.named.get_or_insert_default();
        named.retain(|(known, old)| *known != name || !old.is::<T>());
        named.push((name, Box::new(value)));
    }

    /// Returns the value of this type.
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<&T> {
        if let Some(Some(value)) = self.field() {
            return Some(value);
        }
        let mut typed = self.typed.iter();
        typed
            .find_map(|typed| typed.value.downcast_ref())
            .or_else(|| self.extensions.get())
    }

    /// Returns the field that holds values of this type, if there is one.
    fn field<T: 'static>(&self) -> Option<&Option<T>> {
        let fields: [&dyn Any; 2] = [&self.request_id, &self.client];
        fields.into_iter().find_map(|field| field.downcast_ref())
    }

    fn field_mut<T: 'static>(&mut self) -> Option<&mut Option<T>> {
        let fields: [&mut dyn Any; 2] = [&mut self.request_id, &mut self.client];
        fields.into_iter().find_map(|field| field.downcast_mut())
    }

    /// Returns the value of this type under this name.
    pub fn get_named<T: 'static>(&self, name: &str) -> Option<&T> {
        self.named()
            .filter(|(known, _)| known == name)
            .find_map(|(_, value)| value.downcast_ref())
    }

    fn named(&self) -> impl Iterator<Item = &(Cow<'static, str>, Box<dyn Any + Send + Sync>)> {
        self.named.iter().flat_map(|named| named.iter())
    }

    /// Replaces the typed values by the extensions that tower layers left in a request.
    pub(crate) fn set_extensions(&mut self, extensions: Extensions) {
        self.take_extensions();
        self.extensions = extensions;
    }

    /// Splits off the named values and leaves the typed ones.
    pub(crate) fn split_named(&mut self) -> Self {
        Self {
            named: std::mem::take(&mut self.named),
            ..Self::default()
        }
    }

    /// Takes all typed values as extensions, for tower services and layers.
    pub(crate) fn take_extensions(&mut self) -> Extensions {
        let mut extensions = std::mem::take(&mut self.extensions);
        for typed in self.typed.drain(..) {
            (typed.export)(typed.value, &mut extensions);
        }
        if let Some(id) = self.request_id.take() {
            extensions.insert(id);
        }
        if let Some(client) = self.client.take() {
            extensions.insert(client);
        }
        extensions
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values")
            .field("request_id", &self.request_id)
            .field("client", &self.client)
            .field("typed", &(self.typed.len() + self.extensions.len()))
            .field(
                "named",
                &self.named().map(|(name, _)| name).collect::<Vec<_>>(),
            )
            .finish()
    }
}
