//! The one place where a made answer becomes a response.

use innkeeper_rest::{
    Coding, Head, IntoReply, PreconditionOutcome, Rejection, ReplyKind, Response,
};

use crate::answer::Answer;

/// A response that is sent whatever the client accepts: there is only one form of it.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) Response);

impl IntoReply for Sent {
    // Nothing is negotiated.
    const KIND: ReplyKind = ReplyKind::Empty;

    fn into_reply(self) -> Response {
        self.0
    }
}

/// Sends an answer in the coding that the client likes best, or says that the client has it already.
pub(crate) fn send(answer: &Answer, head: &Head) -> Sent {
    let coding = answer.is_compressible();
    let coding = coding
        .then(|| Coding::negotiate(head, &Coding::ALL))
        .flatten();
    let form = answer.form(coding);
    let response = match head.preconditions().evaluate_tag(&form.etag) {
        PreconditionOutcome::Proceed => Response::ok()
            .with_headers(&form.headers)
            .body(form.bytes.clone()),
        PreconditionOutcome::NotModified => Response::not_modified().with_headers(&form.unchanged),
        PreconditionOutcome::Failed => {
            let refusal = Rejection::precondition_failed();
            Response::error_with(refusal.status(), refusal.message().to_owned())
        }
    };
    Sent(response)
}
