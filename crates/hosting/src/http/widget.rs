//! `GET /v1/heo-status.js`: the script that shows the status in pages of other sites.

use http::header::{HeaderName, HeaderValue};
use innkeeper_rest::{PreparedResponse, Rejection, Request, Unnegotiated, resource};

use crate::base::prepared::prepare;

/// The version of the script. A changed script needs a new version: pages refer to the old one with a
/// hash of its bytes.
pub(crate) const VERSION: &str = "1.1.0";
const SCRIPT: &str = include_str!("../../widget/heo-status.js");

const NEWEST: &str = "public, max-age=300, stale-if-error=86400";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

pub(crate) struct Widget {
    newest: PreparedResponse,
    versioned: PreparedResponse,
}

impl Widget {
    pub(crate) fn new() -> Self {
        let script = |cache_control| {
            prepare(
                "application/javascript; charset=utf-8",
                cache_control,
                SCRIPT,
            )
            .header(
                HeaderName::from_static("x-content-type-options"),
                HeaderValue::from_static("nosniff"),
            )
            .header(
                HeaderName::from_static("cross-origin-resource-policy"),
                HeaderValue::from_static("cross-origin"),
            )
        };
        Self {
            newest: script(NEWEST),
            versioned: script(IMMUTABLE),
        }
    }
}

#[resource("/")]
impl Widget {
    /// Returns the newest version of the script.
    #[get("/heo-status.js")]
    #[responds(200, "the script")]
    fn newest(&self, #[request] request: &Request) -> Unnegotiated {
        Unnegotiated(self.newest.respond(request.head()))
    }

    /// Returns one version of the script, which never changes.
    #[get("/heo-status/{version}/heo-status.js")]
    #[responds(200, "the script")]
    #[responds(404, "this version does not exist")]
    fn versioned(
        &self,
        /// The version, such as `1.1.0`.
        version: &str,
        #[request] request: &Request,
    ) -> Result<Unnegotiated, Rejection> {
        if version != VERSION {
            return Err(Rejection::not_found());
        }
        Ok(Unnegotiated(self.versioned.respond(request.head())))
    }
}
