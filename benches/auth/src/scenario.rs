//! The scenarios and their requests.

use std::fmt;

use clap::ValueEnum;
use serde_json::json;

use crate::accounts::Account;
use crate::http::Site;
use crate::statements::{
    ADVANCE, FIND_BY_EMAIL, FIND_BY_ID, FIND_BY_SESSION, FIND_CALLER, INSERT_ENTRY,
    INSERT_IDENTITY, INSERT_USER, LOCK_BY_EMAIL, OPEN_SESSION,
};

/// The password of all users.
pub(crate) const PASSWORD: &str = "correct horse battery 7 Staple";

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Sign-up of new users.
    SignUp,
    /// Password sign-in of known users.
    SignIn,
    /// Refreshes, one after the other on each connection.
    Refresh,
    /// `GET /user`.
    User,
    /// `GET /settings`.
    Settings,
    /// `GET /user` while as many other connections sign in with passwords.
    UserDuringSignIns,
}

impl Scenario {
    pub(crate) const ALL: [Self; 6] = [
        Self::SignUp,
        Self::SignIn,
        Self::Refresh,
        Self::User,
        Self::Settings,
        Self::UserDuringSignIns,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SignUp => "sign-up",
            Self::SignIn => "sign-in",
            Self::Refresh => "refresh",
            Self::User => "user",
            Self::Settings => "settings",
            Self::UserDuringSignIns => "user-during-sign-ins",
        }
    }

    /// Returns the factor by which its windows are longer: hashing limits the number of requests.
    pub(crate) fn stretch(self) -> u32 {
        match self {
            Self::SignUp | Self::SignIn | Self::UserDuringSignIns => 2,
            Self::Refresh | Self::User | Self::Settings => 1,
        }
    }

    /// Returns the statements that it runs, in order. Those without `::` are commands.
    pub(crate) fn statements(self) -> &'static [&'static str] {
        match self {
            Self::SignUp => &[
                "begin",
                LOCK_BY_EMAIL.0,
                INSERT_USER.0,
                INSERT_IDENTITY.0,
                FIND_BY_ID.0,
                INSERT_ENTRY.0,
                OPEN_SESSION.0,
                "commit",
            ],
            Self::SignIn => &[FIND_BY_EMAIL.0, OPEN_SESSION.0],
            Self::Refresh => &[FIND_BY_SESSION.0, ADVANCE.0],
            Self::User => &[FIND_CALLER.0],
            Self::Settings | Self::UserDuringSignIns => &[],
        }
    }

    /// Returns the next request of this kind for an account. A sign-up creates a new account each time.
    pub(crate) fn request(self, site: &Site, account: &Account) -> Vec<u8> {
        match self {
            Self::SignUp => {
                let email = format!("new-{}@example.com", uuid::Uuid::new_v4().simple());
                site.post("/signup", &sign_up_body(&email))
            }
            Self::SignIn => site.post(
                "/token?grant_type=password",
                &json!({ "email": account.email, "password": PASSWORD }).to_string(),
            ),
            Self::Refresh => site.post(
                "/token?grant_type=refresh_token",
                &json!({ "refresh_token": account.refresh_token }).to_string(),
            ),
            Self::User | Self::UserDuringSignIns => site.get("/user", Some(&account.access_token)),
            Self::Settings => site.get("/settings", None),
        }
    }
}

/// Returns the body of a sign-up request.
pub(crate) fn sign_up_body(email: &str) -> String {
    json!({ "email": email, "password": PASSWORD, "data": { "name": "Ada Lovelace" } }).to_string()
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
