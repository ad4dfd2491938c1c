//! Pages after a cursor.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::links::{Links, linked};
use super::parameters::{PageLimit, ParameterNames, malformed};
use crate::rejection::Rejection;
use crate::response::Response;

/// A page of a list after a position, from [`Paging::cursor`](crate::Paging::cursor).
///
/// Page numbers shift when items are added in front; positions do not, and finding one is as fast at
/// the end of a list as at its start. A position is any value that identifies an item in the order of
/// the list, such as its date and number. Clients get it as an opaque cursor that they send back.
///
/// ```
/// use innkeeper_rest::{Paging, Rejection, Request, Response, resource};
///
/// struct Bookings;
///
/// #[resource("/bookings")]
/// impl Bookings {
///     /// `/bookings?after=Nw&limit=3`
///     #[get]
///     fn list(&self, #[request] request: &Request) -> Result<Response, Rejection> {
///         let page = Paging::of(3).cursor(request)?;
///         let after = page.after::<u32>()?.unwrap_or(0);
///         // where number > $after order by number limit $limit + 1
///         let bookings = (after + 1..100).take(page.limit() + 1);
///         page.respond(bookings, |number| *number)
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct CursorPage {
    after: Option<String>,
    limit: PageLimit,
    links: Links,
    after_name: Cow<'static, str>,
    limit_name: Cow<'static, str>,
}

impl CursorPage {
    pub(super) fn new(
        names: &ParameterNames,
        links: Links,
        after: Option<String>,
        limit: PageLimit,
    ) -> Self {
        Self {
            after,
            limit,
            links,
            after_name: names.after.clone(),
            limit_name: names.limit.clone(),
        }
    }

    /// Returns the position after which this page starts; `None` for the first page.
    ///
    /// Clients can forge cursors: check what they may see, as always.
    ///
    /// # Errors
    ///
    /// 400 if the cursor cannot be decoded as a `T`.
    pub fn after<T: DeserializeOwned>(&self) -> Result<Option<T>, Rejection> {
        let Some(after) = &self.after else {
            return Ok(None);
        };
        let json = URL_SAFE_NO_PAD.decode(after).ok();
        let position = json.and_then(|json| serde_json::from_slice(&json).ok());
        match position {
            Some(position) => Ok(Some(position)),
            None => Err(malformed(
                &self.after_name,
                "expected a cursor from a `Link` header",
            )),
        }
    }

    /// Returns the cursor as the client sent it, for cursors in a format of your own.
    pub fn after_text(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// Returns a link to the page after this cursor, for a `Link` header of your own.
    ///
    /// ```
    /// use innkeeper_rest::{Head, Method, Paging, Request};
    ///
    /// let request = Request::new(Head::new(Method::GET, "/rooms?after=B7"), "");
    /// let page = Paging::of(20).cursor(&request).unwrap();
    /// assert_eq!(page.after_text(), Some("B7"));
    /// assert_eq!(page.link("next", "C3"), "</rooms?after=C3>; rel=\"next\"");
    /// ```
    pub fn link(&self, relation: &str, after: &str) -> String {
        let mut links = self.links.clone();
        self.add(&mut links, relation, Some(after));
        links.into_text()
    }

    /// Returns the largest number of items on this page.
    pub fn limit(&self) -> usize {
        self.limit.items
    }

    /// Sends the items of this page, with links to the first page and to the next one, which starts
    /// after the position of the last item.
    ///
    /// Pass one item more than [`limit`](Self::limit), if there is one: it is not sent, but shows that
    /// there is a next page.
    ///
    /// # Errors
    ///
    /// 500 if the position cannot be serialized.
    pub fn respond<T, P>(
        &self,
        items: impl IntoIterator<Item = T>,
        position: impl FnOnce(&T) -> P,
    ) -> Result<Response, Rejection>
    where
        T: Serialize + Send + 'static,
        P: Serialize,
    {
        let mut items = items.into_iter();
        let sent: Vec<T> = items.by_ref().take(self.limit.items).collect();
        let more = sent.len() == self.limit.items && items.next().is_some();
        let mut links = self.links.clone();
        self.add(&mut links, "first", None);
        if let Some(last) = sent.last().filter(|_| more) {
            self.add(&mut links, "next", Some(&encode(&position(last))?));
        }
        Ok(linked(links.into_text()).entity(sent))
    }

    /// Cuts the items to those of this page, and returns the cursor of the next page; `None` on the last page.
    /// This is for responses of your own, such as an object with the items and the cursor.
    ///
    /// Pass one item more than [`limit`](Self::limit), if there is one, as for [`respond`](Self::respond).
    ///
    /// ```
    /// use innkeeper_rest::{Head, Method, Paging, Request};
    ///
    /// let request = Request::new(Head::new(Method::GET, "/rooms"), "");
    /// let page = Paging::of(2).cursor(&request).unwrap();
    /// let mut rooms = vec![7, 8, 9];
    /// let next = page.split(&mut rooms, |room| *room).unwrap();
    /// assert_eq!((rooms, next.as_deref()), (vec![7, 8], Some("OA")));
    /// assert_eq!(page.split(&mut vec![9], |room| *room).unwrap(), None);
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if the position cannot be serialized.
    pub fn split<T, P: Serialize>(
        &self,
        items: &mut Vec<T>,
        position: impl FnOnce(&T) -> P,
    ) -> Result<Option<String>, Rejection> {
        if items.len() <= self.limit.items {
            return Ok(None);
        }
        items.truncate(self.limit.items);
        let last = items.last().map(position);
        last.map(|position| encode(&position)).transpose()
    }

    fn add(&self, links: &mut Links, relation: &str, after: Option<&str>) {
        let limit = self.limit.items.to_string();
        let mut parameters = Vec::with_capacity(2);
        if let Some(after) = after {
            parameters.push((self.after_name.as_ref(), after));
        }
        if self.limit.is_requested {
            parameters.push((self.limit_name.as_ref(), limit.as_str()));
        }
        links.add(relation, &parameters);
    }
}

/// Writes a position as a cursor.
fn encode(position: &impl Serialize) -> Result<String, Rejection> {
    let json = serde_json::to_vec(position).map_err(Rejection::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(json))
}
