//! `GET /v1/assets/…`: the images of the content folder.

use std::sync::Arc;

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use innkeeper_rest::{ETag, Rejection, Response, Unnegotiated, resource};

use crate::app::App;
use crate::content::Image;

/// Images seldom change, and then usually get another name.
const IMAGE_CACHE_CONTROL: &str = "public, max-age=3600, stale-while-revalidate=86400";
/// Keeps an SVG that is opened as a page from running scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

pub(crate) struct Assets {
    pub(crate) app: Arc<App>,
}

#[resource("/assets")]
impl Assets {
    /// Returns an image of the content folder.
    #[get("/{*path}")]
    #[responds(200, "the image")]
    #[responds(206, "the part of the image that `Range` names")]
    #[responds(404, "no image has this path")]
    #[responds(416, "the image does not have the part that `Range` names")]
    async fn show(
        &self,
        /// The path in the content folder.
        path: String,
    ) -> Result<Unnegotiated, Rejection> {
        let content = Arc::clone(&self.app.content);
        let image = tokio::task::spawn_blocking(move || content.image(&path)).await;
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
            .header(CACHE_CONTROL, IMAGE_CACHE_CONTROL)
            .header(CONTENT_SECURITY_POLICY, POLICY);
        Ok(Unnegotiated(response))
    }
}
