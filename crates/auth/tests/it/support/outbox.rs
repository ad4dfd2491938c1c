//! The outbox through the admin API.

use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SmtpStep};
use serde_json::{Value, json};

use super::{TestApp, eventually};

/// Returns the behaviour of a mail server that fails once at one step and accepts all other mail.
pub(crate) fn once(at: SmtpStep, fault: SinkFault) -> SinkBehaviour {
    SinkBehaviour::Fail {
        at,
        fault,
        times: 1,
    }
}

/// Returns the behaviour of a mail server that always sends this reply at one step.
pub(crate) fn always(at: SmtpStep, reply: &str) -> SinkBehaviour {
    SinkBehaviour::Fail {
        at,
        fault: SinkFault::Reply(reply.to_owned()),
        times: usize::MAX,
    }
}

impl TestApp {
    /// Requests an invitation; invitations have no interval between mails.
    pub(crate) async fn invite(&self, email: &str) {
        let body = json!({ "email": email });
        self.post_as(&self.service_key(), "/invite", body)
            .await
            .ok();
    }

    /// Returns all mails in this state, or all mails.
    pub(crate) async fn mails(&self, state: &str) -> Vec<Value> {
        let target = format!("/admin/mail?per_page=1000&state={state}");
        let list = self.operator().get(&target).await.ok();
        list["mails"].as_array().unwrap().clone()
    }

    /// Waits for a mail in this state that matches.
    pub(crate) async fn mails_until(
        &self,
        state: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        eventually(format!("a mail is {state}"), async || {
            let mut mails = self.mails("").await;
            let is_wanted = |mail: &Value| mail["state"] == state && is_wanted(mail);
            let place = mails.iter().position(is_wanted);
            place.map(|place| mails.remove(place)).ok_or(mails)
        })
        .await
    }

    /// Waits until the fault of [`once`] has hit the mail to this address; no other mail meets that fault.
    pub(crate) async fn mail_stalls(&self, to: &str) {
        let is_asked = async || self.mailbox.sink().has_misbehaved();
        eventually("somebody asks the mail server", is_asked).await;
        self.mail_becomes("sending", to).await;
    }

    /// Waits until the mail to this address is in this state.
    pub(crate) async fn mail_becomes(&self, state: &str, to: &str) -> Value {
        self.mails_until(state, |mail| mail["to"] == to).await
    }
}
