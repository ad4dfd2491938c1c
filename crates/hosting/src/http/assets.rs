//! `GET /v1/assets/…`: the images of the content folder.

use std::sync::Arc;

use http::StatusCode;
use http::header::CONTENT_SECURITY_POLICY;
use innkeeper_rest::{Files, Rejection, Request, Unnegotiated, resource};

use crate::app::App;
use crate::content::ContentSource;

/// Images seldom change, and then usually get another name.
const IMAGE_CACHE_CONTROL: &str = "public, max-age=3600, stale-while-revalidate=86400";
/// Keeps an SVG that is opened as a page from running scripts.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

pub(crate) struct Assets {
    app: Arc<App>,
    files: Arc<Files>,
}

impl Assets {
    pub(crate) fn new(app: Arc<App>) -> Self {
        let files = match app.content.source() {
            ContentSource::Folder(folder) => Files::directory(folder),
            ContentSource::Embedded(files) => {
                Files::embedded(files.iter().map(|file| (file.name, file.bytes)))
            }
        };
        let files = files.index(None).cache_control(IMAGE_CACHE_CONTROL);
        Self {
            app,
            files: Arc::new(files),
        }
    }
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
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        let index = self.app.content.index();
        let Some(asset) = index.asset(&path) else {
            return Err(Rejection::not_found());
        };
        let response = self.files.respond_to(request, &path).await;
        // The file may have been deleted since it was listed.
        if response.status_code() == StatusCode::NOT_FOUND {
            return Err(Rejection::not_found());
        }
        if !response.status_code().is_success() {
            return Ok(Unnegotiated(response));
        }
        let response = response
            .content_type(asset.media_type)
            .header(CONTENT_SECURITY_POLICY, POLICY);
        Ok(Unnegotiated(response))
    }
}
