//! `GET /v1/assets/…`: the images of the content folder.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use innkeeper_rest::{ETag, Rejection, Response, resource};

use super::send::Sent;
use crate::app::App;
use crate::content::Image;

/// Images change seldom, and their names then mostly do too.
const KEEP: &str = "public, max-age=3600, stale-while-revalidate=86400";
/// An image that is opened as a page is still only an image.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

pub(crate) struct Assets {
    pub(crate) app: Arc<App>,
}

#[resource("/assets")]
impl Assets {
    /// An image as it lies in the content folder.
    #[get("/{*path}")]
    #[responds(200, "the image")]
    #[responds(206, "the part of it that `Range` names")]
    #[responds(404, "nothing is here")]
    #[responds(416, "it has no such part")]
    async fn show(
        &self,
        /// The path in the content folder.
        path: String,
    ) -> Result<Sent, Rejection> {
        let shelves = Arc::clone(&self.app.shelves);
        let image = tokio::task::spawn_blocking(move || shelves.image(&path)).await;
        let Some(Image {
            bytes,
            media_type,
            tag,
        }) = image.map_err(Rejection::internal)?
        else {
            return Err(Rejection::not_found());
        };
        let response = Response::ok()
            .content_type(media_type)
            .etag(ETag::strong(tag))
            .ranges()
            .body(bytes)
            .header(CACHE_CONTROL, KEEP)
            .header(CONTENT_SECURITY_POLICY, POLICY);
        Ok(Sent(response))
    }
}
