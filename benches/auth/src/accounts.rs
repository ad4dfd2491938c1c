//! Users that are signed up before anything is measured.

use anyhow::{Context, Result};

use crate::http::{Connection, Site, member};
use crate::scenario::sign_up_body;

/// The number of concurrent connections.
pub(crate) const CONNECTIONS: usize = 16;

/// A user who has signed up.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) email: String,
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
}

impl Account {
    /// Signs up a new user.
    async fn create(connection: &mut Connection, site: &Site, number: usize) -> Result<Self> {
        let email = format!("user-{number}@example.com");
        let request = site.post("/signup", &sign_up_body(&email));
        let body = connection.ask_ok(&request).await?;
        Ok(Self {
            access_token: member(body, "access_token")?.to_owned(),
            refresh_token: member(body, "refresh_token")?.to_owned(),
            email,
        })
    }
}

/// Signs up one user for each connection, and as many again for concurrent sign-ins.
pub(crate) async fn create(site: &Site) -> Result<Vec<Account>> {
    let mut connection = Connection::open(site.address).await?;
    let mut accounts = Vec::new();
    for number in 0..2 * CONNECTIONS {
        let account = Account::create(&mut connection, site, number).await;
        accounts.push(account.context("signing up")?);
    }
    Ok(accounts)
}
