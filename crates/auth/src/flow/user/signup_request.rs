//! The request of a sign-up, after the checks.

use super::Object;
use crate::app::App;
use crate::base::contact::{Contact, Email};
use crate::flow::one_time::pkce::CodeChallenge;
use crate::outside::sms::SmsChannel;

/// A sign-up, after the checks.
#[derive(Debug)]
pub(crate) struct Signup {
    pub(crate) aud: String,
    pub(crate) contact: Contact,
    /// The channel of the code for a phone number.
    pub(crate) channel: SmsChannel,
    pub(crate) password: String,
    pub(crate) data: Object,
    pub(crate) challenge: Option<CodeChallenge>,
}

impl Signup {
    /// Returns a sign-up with an email address.
    pub(crate) fn by_email(aud: &str, email: &Email, data: Object) -> Self {
        Self {
            aud: aud.to_owned(),
            contact: Contact::Email(email.clone()),
            channel: SmsChannel::Sms,
            password: String::new(),
            data,
            challenge: None,
        }
    }

    /// Whether the address or number counts as confirmed at once.
    pub(super) fn is_confirmed_at_once(&self, app: &App) -> bool {
        match self.contact {
            Contact::Email(_) => app.config.mailer.autoconfirm,
            Contact::Phone(_) => app.config.sms.autoconfirm,
        }
    }
}
