//! `POST` and `GET /verify`.

mod bad_input;
mod get;
mod page;
mod post;
mod token;

use serde_json::json;

use crate::support::TestApp;
use crate::support::mailbox::ReceivedMail;

/// A flow that sends a mail, and the types that accept its link and code, each with the type in the
/// response.
struct Flow {
    name: &'static str,
    good_for: [(&'static str, &'static str); 3],
}

/// Types that accept the mails of sign-ups and invitations.
const CONFIRMATION: [(&str, &str); 3] = [
    ("signup", "signup"),
    ("invite", "invite"),
    ("email", "signup"),
];
/// Types that accept the mails of magic links and password resets.
const RECOVERY: [(&str, &str); 3] = [
    ("magiclink", "magiclink"),
    ("recovery", "recovery"),
    ("email", "magiclink"),
];

const FLOWS: [Flow; 5] = [
    Flow {
        name: "signup",
        good_for: CONFIRMATION,
    },
    Flow {
        name: "invite",
        good_for: CONFIRMATION,
    },
    Flow {
        name: "otp for a new user",
        good_for: CONFIRMATION,
    },
    Flow {
        name: "otp",
        good_for: RECOVERY,
    },
    Flow {
        name: "recover",
        good_for: RECOVERY,
    },
];

const TYPES: [&str; 9] = [
    "signup",
    "invite",
    "magiclink",
    "recovery",
    "email_change",
    "email",
    "sms",
    "phone_change",
    "reauthentication",
];

impl Flow {
    /// Runs the flow for a new address and returns the mail.
    async fn mail(&self, app: &TestApp, email: &str) -> ReceivedMail {
        match self.name {
            "signup" => app.mail_of_signup(email).await,
            "invite" => {
                let body = json!({ "email": email });
                app.post_as(&app.service_key(), "/invite", body).await.ok();
                app.mailbox.next_to(email).await
            }
            "otp for a new user" => app.mail_of("/otp", email).await,
            "otp" => {
                app.confirmed(email).await;
                app.mail_of("/otp", email).await
            }
            _ => {
                app.confirmed(email).await;
                app.mail_of("/recover", email).await
            }
        }
    }

    fn is_good_for(&self, kind: &str) -> bool {
        self.good_for.iter().any(|(good, _)| *good == kind)
    }
}
