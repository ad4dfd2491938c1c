//! The same statements run by the bare driver: no HTTP, no tokens, no passwords.
//!
//! Single statements share one connection and do not wait for each other. A sign-up is a transaction
//! and has a connection of its own.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use innkeeper_auth_queries::client::{GenericClient, Params};
use innkeeper_auth_queries::queries::audit_log_entries::{self, InsertEntryStmt};
use innkeeper_auth_queries::queries::identities::{self, InsertIdentityStmt};
use innkeeper_auth_queries::queries::sessions::{
    self, AdvanceStmt, OpenSessionParams, OpenSessionStmt,
};
use innkeeper_auth_queries::queries::users::{
    self, CallerStmt, FindByEmailStmt, FindByIdStmt, FindBySessionStmt, InsertUserStmt,
    LockByEmailStmt,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::accounts::CONNECTIONS;
use crate::load::Step;
use crate::scenario::Scenario;

/// The schema of the server's tables.
pub(crate) const SCHEMA: &str = "auth";
pub(crate) const AUDIENCE: &str = "authenticated";
pub(crate) const ADDRESS: &str = "127.0.0.1";
pub(crate) const AGENT: &str = "node";
/// A value as long as the server's.
pub(crate) const HMAC_KEY: &str =
    "sealed:default:0123456789abcdef0123456789abcdef0123456789abcdef01234567";
pub(crate) const HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$0123456789abcdef0123456789abcdef0123456789a";

/// The server's database and users, for statements without the server.
pub(crate) struct Limits {
    pub(crate) url: String,
    pub(crate) users: Vec<Known>,
    client: Rc<Client>,
    prepared: Rc<Prepared>,
}

/// A user and one of the user's sessions.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: Uuid,
    pub(crate) email: String,
    pub(crate) session_id: Uuid,
}

/// Returns an audit log entry like the server's.
pub(crate) fn audit_payload() -> Value {
    json!({
        "action": "token_refreshed",
        "actor_id": Uuid::nil(),
        "actor_username": "user-1@example.com",
        "actor_via_sso": false,
        "log_type": "token",
    })
}

struct Prepared {
    caller: CallerStmt,
    find_by_session: FindBySessionStmt,
    find_by_email: FindByEmailStmt,
    find_by_id: FindByIdStmt,
    lock_by_email: LockByEmailStmt,
    insert_user: InsertUserStmt,
    insert_identity: InsertIdentityStmt,
    open_session: OpenSessionStmt,
    advance: AdvanceStmt,
    insert_entry: InsertEntryStmt,
}

impl Prepared {
    async fn new(client: &Client) -> Result<Self> {
        Ok(Self {
            caller: users::caller().prepare(client).await?,
            find_by_session: users::find_by_session().prepare(client).await?,
            find_by_email: users::find_by_email().prepare(client).await?,
            find_by_id: users::find_by_id().prepare(client).await?,
            lock_by_email: users::lock_by_email().prepare(client).await?,
            insert_user: users::insert_user().prepare(client).await?,
            insert_identity: identities::insert_identity().prepare(client).await?,
            open_session: sessions::open_session().prepare(client).await?,
            advance: sessions::advance().prepare(client).await?,
            insert_entry: audit_log_entries::insert_entry().prepare(client).await?,
        })
    }

    async fn open_session(
        &self,
        client: &impl GenericClient,
        session_id: Uuid,
        user_id: Uuid,
        audit_payload: &Value,
    ) -> Result<()> {
        let nothing = None::<&str>;
        let params = OpenSessionParams {
            id: session_id,
            user_id,
            now: Timestamp::now(),
            not_after: None,
            user_agent: Some(AGENT),
            ip: Some(ADDRESS),
            tag: nothing,
            hmac_key: HMAC_KEY,
            v1_token: nothing,
            method: "password",
            flow_id: None,
            passkey_id: None,
            sign_count: None,
            backed_up: None,
            identity_data: None::<&Value>,
            provider: "email",
            subject: nothing,
            audit_id: Uuid::new_v4(),
            audit_payload,
            audit_address: ADDRESS,
            audited: true,
        };
        self.open_session.params(client, &params).opt().await?;
        Ok(())
    }
}

async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client
        .batch_execute(&format!("set search_path = {SCHEMA}"))
        .await?;
    Ok(client)
}

impl Limits {
    pub(crate) async fn new(url: &str) -> Result<Self> {
        let client = connect(url).await?;
        let found = client
            .query(
                "select id, email from users where email like 'user-%' order by id",
                &[],
            )
            .await?;
        let prepared = Rc::new(Prepared::new(&client).await?);
        let mut users = Vec::new();
        for row in found.iter().take(CONNECTIONS) {
            let user = Known {
                id: row.get(0),
                email: row.get(1),
                session_id: Uuid::new_v4(),
            };
            // Not a session of the server, which would treat these refreshes as reuse of stolen tokens.
            prepared
                .open_session(&client, user.session_id, user.id, &audit_payload())
                .await?;
            users.push(user);
        }
        ensure!(users.len() == CONNECTIONS, "the users are not there");
        Ok(Self {
            url: url.to_owned(),
            users,
            client: Rc::new(client),
            prepared,
        })
    }

    /// Creates one worker for each user.
    pub(crate) async fn workers(&self, scenario: Scenario) -> Result<Vec<Worker>> {
        let mut workers = Vec::new();
        for user in &self.users {
            let (client, prepared) = if scenario == Scenario::SignUp {
                let client = connect(&self.url).await?;
                let prepared = Rc::new(Prepared::new(&client).await?);
                (Rc::new(client), prepared)
            } else {
                (Rc::clone(&self.client), Rc::clone(&self.prepared))
            };
            workers.push(Worker {
                scenario,
                user: user.clone(),
                client,
                prepared,
                payload: audit_payload(),
            });
        }
        Ok(workers)
    }
}

/// Runs the server's statements for one connection.
pub(crate) struct Worker {
    scenario: Scenario,
    user: Known,
    client: Rc<Client>,
    prepared: Rc<Prepared>,
    payload: Value,
}

impl Step for Worker {
    async fn step(&mut self) -> Result<()> {
        match self.scenario {
            Scenario::User => self.caller().await,
            Scenario::Refresh => self.refresh().await,
            Scenario::SignIn => {
                let found = self
                    .prepared
                    .find_by_email
                    .bind(&*self.client, &self.user.email, &AUDIENCE)
                    .opt()
                    .await?;
                let user = found.context("the user is gone")?;
                self.open_session(&*self.client, user.id).await
            }
            Scenario::SignUp => self.sign_up().await,
            Scenario::Settings | Scenario::UserDuringSignIns => Ok(()),
        }
    }
}

impl Worker {
    async fn caller(&self) -> Result<()> {
        let (session, user) = (&self.user.session_id, &self.user.id);
        let row = self.prepared.caller.bind(&*self.client, session, user);
        let found = row.opt().await?.context("the user is gone")?;
        ensure!(found.session.is_some(), "the session is gone");
        Ok(())
    }

    async fn refresh(&self) -> Result<()> {
        let session_id = &self.user.session_id;
        let row = self
            .prepared
            .find_by_session
            .bind(&*self.client, session_id);
        let found = row.opt().await?.context("the session is gone")?;
        let session = found.session.context("the session is gone")?;
        let counter = session.get("counter").and_then(Value::as_i64);
        let now = Timestamp::now();
        let advanced = self
            .prepared
            .advance
            .bind(
                &*self.client,
                &TimeZone::UTC.to_datetime(now),
                &now,
                &Some(AGENT),
                &Some(ADDRESS),
                session_id,
                &counter.context("no counter")?,
                &Uuid::new_v4(),
                &self.payload,
                &ADDRESS,
                &true,
            )
            .one()
            .await?;
        ensure!(advanced == 1, "somebody else was faster");
        Ok(())
    }

    async fn open_session(&self, client: &impl GenericClient, user_id: Uuid) -> Result<()> {
        let session_id = Uuid::new_v4();
        self.prepared
            .open_session(client, session_id, user_id, &self.payload)
            .await
    }

    async fn audit(&self, client: &impl GenericClient) -> Result<()> {
        self.prepared
            .insert_entry
            .bind(
                client,
                &Uuid::new_v4(),
                &self.payload,
                &Timestamp::now(),
                &ADDRESS,
            )
            .one()
            .await?;
        Ok(())
    }

    async fn sign_up(&mut self) -> Result<()> {
        let id = Uuid::new_v4();
        let email = format!("bare-{}@example.com", id.simple());
        let prepared = Rc::clone(&self.prepared);
        let client = Rc::clone(&self.client);
        client.batch_execute("begin").await?;
        let known = prepared.lock_by_email.bind(&*client, &email, &AUDIENCE);
        ensure!(known.opt().await?.is_none(), "the address is taken");
        let (now, nothing) = (Timestamp::now(), None::<&str>);
        let data = json!({ "email": email, "name": "Ada Lovelace", "sub": id });
        prepared
            .insert_user
            .bind(
                &*client,
                &id,
                &AUDIENCE,
                &"",
                &Some(&email),
                &nothing,
                &Some(HASH),
                &Some(now),
                &None,
                &None,
                &json!({ "provider": "email", "providers": ["email"] }),
                &data,
                &now,
                &false,
                &false,
            )
            .one()
            .await?;
        prepared
            .insert_identity
            .bind(
                &*client,
                &Uuid::new_v4(),
                &id.to_string(),
                &id,
                &data,
                &"email",
                &now,
            )
            .one()
            .await?;
        let row = prepared.find_by_id.bind(&*client, &id);
        row.opt().await?.context("the user is gone")?;
        self.audit(&*client).await?;
        self.open_session(&*client, id).await?;
        client.batch_execute("commit").await?;
        Ok(())
    }
}
