//! `POST` and `GET /verify`.

mod bad_input;
mod get;
mod page;
mod post;

use serde_json::json;

use crate::support::TestApp;
use crate::support::mailbox::ReceivedMail;

/// How a mail came to be, and the types that its link and code are good for, with what they turn out
/// to be.
struct Flow {
    name: &'static str,
    good_for: [(&'static str, &'static str); 3],
}

/// The mails of sign-ups and invitations.
const CONFIRMATION: [(&str, &str); 3] = [
    ("signup", "signup"),
    ("invite", "invite"),
    ("email", "signup"),
];
/// The mails of magic links and forgotten passwords.
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
    /// Has a mail sent to a new address.
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
