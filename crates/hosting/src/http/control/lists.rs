//! What lists and details share.

use http::header::LINK;
use innkeeper_rest::{CursorPage, Paging, Rejection, Request, Response, Unnegotiated};
use serde::Serialize;

use super::context::Control;
use super::errors::not_found;
use super::refusal::unavailable;
use crate::machines::key::VerifiedKey;
use crate::machines::{MachineAccess, MachineView};
use crate::model::{MachineKind, PublicId};

/// The parameters of a page.
#[derive(Debug)]
pub(super) struct ListParameters {
    pub(super) limit: Option<u64>,
    pub(super) cursor: Option<String>,
}

/// The items of a page, and what leads to the next one.
#[derive(Debug)]
pub(super) struct ItemPage<T> {
    items: Vec<T>,
    next_cursor: Option<String>,
    link: Option<String>,
}

impl<T> ItemPage<T> {
    /// Returns a page of items, of which one more than the page has may be given.
    pub(super) fn new<P: Serialize>(
        page: &CursorPage,
        mut items: Vec<T>,
        position: impl FnOnce(&T) -> P,
    ) -> Result<Self, Rejection> {
        let next_cursor = page.split(&mut items, position)?;
        let link = next_cursor.as_ref().map(|cursor| page.link("next", cursor));
        Ok(Self {
            items,
            next_cursor,
            link,
        })
    }

    /// Sends the page, as the entity that a function makes of the items and the cursor of the next page.
    pub(super) fn respond<E>(self, entity: impl FnOnce(Vec<T>, Option<String>) -> E) -> Unnegotiated
    where
        E: Serialize + Send + 'static,
    {
        let Unnegotiated(mut response) = uncached(entity(self.items, self.next_cursor));
        if let Some(link) = self.link {
            response = response.header(LINK, link);
        }
        Unnegotiated(response)
    }
}

/// Sends a record that changes at any time.
pub(super) fn uncached(record: impl Serialize + Send + 'static) -> Unnegotiated {
    let response = Response::ok().header("cache-control", "no-store");
    Unnegotiated(response.entity(record))
}

/// Returns the page that a request asks for.
pub(super) fn page(request: &Request, parameters: ListParameters) -> Result<CursorPage, Rejection> {
    let paging = Paging::of(20).at_most(100).named("page", "limit", "cursor");
    paging.cursor_at(request, parameters.cursor, parameters.limit)
}

/// Returns one more than the number of items on a page, to learn whether there is another page.
pub(super) fn one_more(page: &CursorPage) -> i64 {
    i64::try_from(page.limit()).unwrap_or(i64::MAX - 1) + 1
}

/// Returns the error for a cursor that is not from one of our answers.
pub(super) fn forged_cursor() -> Rejection {
    Rejection::malformed_parameter("query parameter", "cursor", "expected a `nextCursor`")
}

/// Returns a page of the machines that a key may use.
pub(super) async fn machines(
    control: &Control,
    key: &VerifiedKey,
    request: &Request,
    kind: MachineKind,
    parameters: ListParameters,
) -> Result<ItemPage<MachineView>, Rejection> {
    let page = page(request, parameters)?;
    let after = match page.after::<String>()? {
        Some(text) => Some(PublicId::parse(&text).ok_or_else(forged_cursor)?),
        None => None,
    };
    let connection = control.connection().await?;
    let access = MachineAccess::of(&key.key);
    let found = access.list(&connection, kind, after.as_ref(), one_more(&page));
    let found = found.await;
    let found = found.map_err(|error| unavailable(error.to_string()))?;
    ItemPage::new(&page, found, |view| view.machine.public_id.clone())
}

/// Returns a machine that a key may use.
pub(super) async fn machine(
    control: &Control,
    key: &VerifiedKey,
    kind: MachineKind,
    id: &str,
) -> Result<MachineView, Rejection> {
    let connection = control.connection().await?;
    let found = MachineAccess::of(&key.key)
        .find(&connection, kind, id)
        .await;
    let found = found.map_err(|error| unavailable(error.to_string()))?;
    let machine = found.ok_or_else(not_found)?;
    let view = MachineView::of(&connection, machine).await;
    view.map_err(|error| unavailable(error.to_string()))
}
