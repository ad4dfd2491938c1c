//! `GET /v1/heo-status.js`: the script that shows the status in pages of others.

use std::sync::Arc;

use innkeeper_rest::{Rejection, Request, resource};

use super::send::{Sent, send};
use crate::answer::Answer;

/// The newest script and its version. Another script is another version: pages name the old one with a
/// hash of its bytes.
pub(crate) const VERSION: &str = "1.0.0";
const SCRIPT: &str = include_str!("../../widget/heo-status.js");

const MOVING: &str = "public, max-age=300, stale-if-error=86400";
const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(crate) struct Widget {
    moving: Arc<Answer>,
    versioned: Arc<Answer>,
}

impl Widget {
    pub(crate) fn new() -> Self {
        let answer = |cache| {
            Arc::new(Answer::new(
                "application/javascript; charset=utf-8",
                cache,
                SCRIPT,
            ))
        };
        Self {
            moving: answer(MOVING),
            versioned: answer(FOR_EVER),
        }
    }
}

#[resource("/")]
impl Widget {
    /// The newest script.
    #[get("/heo-status.js")]
    #[responds(200, "the script")]
    fn newest(&self, #[request] request: &Request) -> Sent {
        script(&self.moving, request)
    }

    /// The script of one version, which never changes.
    #[get("/heo-status/{version}/heo-status.js")]
    #[responds(200, "the script")]
    #[responds(404, "there is no such version")]
    fn versioned(
        &self,
        /// Such as `1.0.0`.
        version: &str,
        #[request] request: &Request,
    ) -> Result<Sent, Rejection> {
        if version != VERSION {
            return Err(Rejection::not_found());
        }
        Ok(script(&self.versioned, request))
    }
}

fn script(answer: &Answer, request: &Request) -> Sent {
    let Sent(response) = send(answer, request.head());
    let response = response
        .header("x-content-type-options", "nosniff")
        .header("cross-origin-resource-policy", "cross-origin");
    Sent(response)
}
