//! The outbox through the admin API.

use std::time::Duration;

use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SmtpStep};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::TestApp;

/// How long to wait for a change, because mail is sent in the background.
const PATIENCE: Duration = Duration::from_mins(1);

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
        let looking = async {
            loop {
                let mails = self.mails(state).await;
                if let Some(mail) = mails.into_iter().find(|mail| is_wanted(mail)) {
                    return mail;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        let found = timeout(PATIENCE, looking).await;
        assert!(found.is_ok(), "no such mail: {:?}", self.mails("").await);
        found.unwrap()
    }

    /// Waits until the fault of [`once`] has hit the mail to this address; no other mail meets that fault.
    pub(crate) async fn mail_stalls(&self, to: &str) {
        let met = async {
            while !self.mailbox.sink().has_misbehaved() {
                sleep(Duration::from_millis(5)).await;
            }
        };
        let met = timeout(PATIENCE, met).await;
        assert!(met.is_ok(), "nobody asked the mail server");
        self.mail_becomes("sending", to).await;
    }

    /// Waits until the mail to this address is in this state.
    pub(crate) async fn mail_becomes(&self, state: &str, to: &str) -> Value {
        self.mails_until(state, |mail| mail["to"] == to).await
    }
}
