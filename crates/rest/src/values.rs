//! Values that filters attach to a request and handlers read with `#[value]`.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;

use http::Extensions;

use crate::filter::{ClientAddress, RequestId};

/// What filters set and `#[value]` reads: one value per type, or several per type by name.
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
    /// Nearly every request has these, so they take no memory of their own.
    request_id: Option<RequestId>,
    client: Option<ClientAddress>,
    /// Few, so that looking at each costs less than a map.
    own: Vec<Own>,
    /// What came from tower layers, unless there is an own one of the type.
    typed: Extensions,
    /// Rarely there, so it takes little room when it is not.
    named: Option<Box<Named>>,
}

type Named = Vec<(Cow<'static, str>, Box<dyn Any + Send + Sync>)>;

/// A value, and how it becomes one for tower layers.
struct Own {
    value: Box<dyn Any + Send + Sync>,
    export: fn(Box<dyn Any + Send + Sync>, &mut Extensions),
}

fn export<T: Clone + Send + Sync + 'static>(
    value: Box<dyn Any + Send + Sync>,
    typed: &mut Extensions,
) {
    if let Ok(value) = value.downcast::<T>() {
        typed.insert(*value);
    }
}

impl Values {
    /// Sets the value of this type, replacing an earlier one.
    pub fn set<T: Clone + Send + Sync + 'static>(&mut self, value: T) {
        if let Some(place) = self.place_mut() {
            *place = Some(value);
            return;
        }
        for own in &mut self.own {
            if let Some(place) = own.value.downcast_mut() {
                *place = value;
                return;
            }
        }
        self.own.push(Own {
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

    /// The value of this type.
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<&T> {
        if let Some(Some(value)) = self.place() {
            return Some(value);
        }
        let mut own = self.own.iter();
        own.find_map(|own| own.value.downcast_ref())
            .or_else(|| self.typed.get())
    }

    /// The place of values of this type, if they have one.
    fn place<T: 'static>(&self) -> Option<&Option<T>> {
        let places: [&dyn Any; 2] = [&self.request_id, &self.client];
        places.into_iter().find_map(|place| place.downcast_ref())
    }

    fn place_mut<T: 'static>(&mut self) -> Option<&mut Option<T>> {
        let places: [&mut dyn Any; 2] = [&mut self.request_id, &mut self.client];
        places.into_iter().find_map(|place| place.downcast_mut())
    }

    /// The value of this type under this name.
    pub fn get_named<T: 'static>(&self, name: &str) -> Option<&T> {
        self.named()
            .filter(|(known, _)| known == name)
            .find_map(|(_, value)| value.downcast_ref())
    }

    fn named(&self) -> impl Iterator<Item = &(Cow<'static, str>, Box<dyn Any + Send + Sync>)> {
        self.named.iter().flat_map(|named| named.iter())
    }

    /// Takes over what tower layers left in a request.
    pub(crate) fn replace_typed(&mut self, typed: Extensions) {
        self.take_typed();
        self.typed = typed;
    }

    /// The named values, leaving the typed ones.
    pub(crate) fn split_named(&mut self) -> Self {
        Self {
            named: std::mem::take(&mut self.named),
            ..Self::default()
        }
    }

    pub(crate) fn take_typed(&mut self) -> Extensions {
        let mut typed = std::mem::take(&mut self.typed);
        for own in self.own.drain(..) {
            (own.export)(own.value, &mut typed);
        }
        if let Some(id) = self.request_id.take() {
            typed.insert(id);
        }
        if let Some(client) = self.client.take() {
            typed.insert(client);
        }
        typed
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values")
            .field("request_id", &self.request_id)
            .field("client", &self.client)
            .field("typed", &(self.own.len() + self.typed.len()))
            .field(
                "named",
                &self.named().map(|(name, _)| name).collect::<Vec<_>>(),
            )
            .finish()
    }
}
