//! The arguments that name a user.

use clap::Args;
use innkeeper_auth::AccountSelector;

#[derive(Debug, Args)]
pub(in crate::auth) struct UserSelector {
    /// The user's id, email address or phone number
    user: String,
    /// The audience of an address or number
    #[arg(short, long)]
    aud: Option<String>,
}

impl UserSelector {
    pub(in crate::auth) fn selector(&self) -> AccountSelector<'_> {
        AccountSelector {
            account: &self.user,
            aud: self.aud.as_deref(),
        }
    }

    /// Returns the user as the operator wrote it, for a message.
    pub(in crate::auth) fn shown(&self) -> String {
        crate::output::on_one_line(&self.user)
    }
}
