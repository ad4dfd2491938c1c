//! The same statements run by the bare driver: no HTTP, no tokens, no passwords.
//!
//! Single statements share one connection and do not wait for each other. A sign-up is a transaction
//! and has a connection of its own.

use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::accounts::CONNECTIONS;
use crate::load::Step;
use crate::scenario::Scenario;
use crate::sql::Prepared;
use crate::statements;

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
    statements: Rc<Statements>,
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

/// The statements, prepared on one connection.
struct Statements {
    caller: Prepared,
    find_by_session: Prepared,
    find_by_email: Prepared,
    find_by_id: Prepared,
    lock_by_email: Prepared,
    insert_user: Prepared,
    insert_identity: Prepared,
    open_session: Prepared,
    advance: Prepared,
    insert_entry: Prepared,
}

impl Statements {
    async fn new(client: &Client) -> Result<Self> {
        Ok(Self {
            caller: Prepared::new(client, statements::FIND_CALLER).await?,
            find_by_session: Prepared::new(client, statements::FIND_BY_SESSION).await?,
            find_by_email: Prepared::new(client, statements::FIND_BY_EMAIL).await?,
            find_by_id: Prepared::new(client, statements::FIND_BY_ID).await?,
            lock_by_email: Prepared::new(client, statements::LOCK_BY_EMAIL).await?,
            insert_user: Prepared::new(client, statements::INSERT_USER).await?,
            insert_identity: Prepared::new(client, statements::INSERT_IDENTITY).await?,
            open_session: Prepared::new(client, statements::OPEN_SESSION).await?,
            advance: Prepared::new(client, statements::ADVANCE).await?,
            insert_entry: Prepared::new(client, statements::INSERT_ENTRY).await?,
        })
    }

    async fn open_session(
        &self,
        client: &Client,
        session_id: Uuid,
        user_id: Uuid,
        audit_payload: &Value,
    ) -> Result<()> {
        let (now, nothing) = (Timestamp::now(), None::<&str>);
        self.open_session
            .run(
                client,
                &[
                    &session_id,
                    &user_id,
                    &now,
                    &None::<Timestamp>,
                    &AGENT,
                    &ADDRESS,
                    &nothing,
                    &HMAC_KEY,
                    &nothing,
                    &"password",
                    &None::<Uuid>,
                    &None::<Uuid>,
                    &None::<i64>,
                    &None::<bool>,
                    &None::<Value>,
                    &"email",
                    &nothing,
                    &Uuid::new_v4(),
                    audit_payload,
                    &ADDRESS,
                    &true,
                ],
            )
            .await?;
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
        let statements = Rc::new(Statements::new(&client).await?);
        let mut users = Vec::new();
        for row in found.iter().take(CONNECTIONS) {
            let user = Known {
                id: row.get(0),
                email: row.get(1),
                session_id: Uuid::new_v4(),
            };
            // Not a session of the server, which would treat these refreshes as reuse of stolen tokens.
            statements
                .open_session(&client, user.session_id, user.id, &audit_payload())
                .await?;
            users.push(user);
        }
        ensure!(users.len() == CONNECTIONS, "the users are not there");
        Ok(Self {
            url: url.to_owned(),
            users,
            client: Rc::new(client),
            statements,
        })
    }

    /// Creates one worker for each user.
    pub(crate) async fn workers(&self, scenario: Scenario) -> Result<Vec<Worker>> {
        let mut workers = Vec::new();
        for user in &self.users {
            let (client, statements) = if scenario == Scenario::SignUp {
                let client = connect(&self.url).await?;
                let statements = Rc::new(Statements::new(&client).await?);
                (Rc::new(client), statements)
            } else {
                (Rc::clone(&self.client), Rc::clone(&self.statements))
            };
            workers.push(Worker {
                scenario,
                user: user.clone(),
                client,
                statements,
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
    statements: Rc<Statements>,
    payload: Value,
}

impl Step for Worker {
    async fn step(&mut self) -> Result<()> {
        match self.scenario {
            Scenario::User => self.caller().await,
            Scenario::Refresh => self.refresh().await,
            Scenario::SignIn => {
                let find = &self.statements.find_by_email;
                let found = find
                    .run(&self.client, &[&AUDIENCE, &self.user.email])
                    .await?;
                let user = found.context("the user is gone")?;
                self.open_session(user.try_get("id")?).await
            }
            Scenario::SignUp => self.sign_up().await,
            Scenario::Settings | Scenario::UserDuringSignIns => Ok(()),
        }
    }
}

impl Worker {
    async fn caller(&self) -> Result<()> {
        let find = &self.statements.caller;
        let found = find
            .run(&self.client, &[&self.user.id, &self.user.session_id])
            .await?;
        let session = found.context("the user is gone")?;
        let session: Option<Value> = session.try_get("session")?;
        ensure!(session.is_some(), "the session is gone");
        Ok(())
    }

    async fn refresh(&self) -> Result<()> {
        let session_id = &self.user.session_id;
        let find = &self.statements.find_by_session;
        let found = find.run(&self.client, &[session_id]).await?;
        let session: Value = found.context("the session is gone")?.try_get("session")?;
        let counter = session.get("counter").and_then(Value::as_i64);
        let now = Timestamp::now();
        let advanced = self
            .statements
            .advance
            .run(
                &self.client,
                &[
                    &TimeZone::UTC.to_datetime(now),
                    &now,
                    &AGENT,
                    &ADDRESS,
                    session_id,
                    &counter.context("no counter")?,
                    &Uuid::new_v4(),
                    &self.payload,
                    &ADDRESS,
                    &true,
                ],
            )
            .await?;
        let is_advanced: bool = advanced.context("no answer")?.try_get(0)?;
        ensure!(is_advanced, "somebody else was faster");
        Ok(())
    }

    async fn open_session(&self, user_id: Uuid) -> Result<()> {
        let session_id = Uuid::new_v4();
        self.statements
            .open_session(&self.client, session_id, user_id, &self.payload)
            .await
    }

    async fn audit(&self) -> Result<()> {
        let (id, now) = (Uuid::new_v4(), Timestamp::now());
        let insert = &self.statements.insert_entry;
        insert
            .run(&self.client, &[&id, &self.payload, &now, &ADDRESS])
            .await?;
        Ok(())
    }

    async fn sign_up(&mut self) -> Result<()> {
        let id = Uuid::new_v4();
        let email = format!("bare-{}@example.com", id.simple());
        let statements = Rc::clone(&self.statements);
        let client = Rc::clone(&self.client);
        client.batch_execute("begin").await?;
        let known = statements
            .lock_by_email
            .run(&client, &[&AUDIENCE, &email])
            .await?;
        ensure!(known.is_none(), "the address is taken");
        let (now, nothing) = (Timestamp::now(), None::<&str>);
        let data = json!({ "email": email, "name": "Ada Lovelace", "sub": id });
        statements
            .insert_user
            .run(
                &client,
                &[
                    &id,
                    &AUDIENCE,
                    &"",
                    &email,
                    &nothing,
                    &HASH,
                    &now,
                    &None::<Timestamp>,
                    &None::<Timestamp>,
                    &json!({ "provider": "email", "providers": ["email"] }),
                    &data,
                    &now,
                    &false,
                    &false,
                ],
            )
            .await?;
        statements
            .insert_identity
            .run(
                &client,
                &[&Uuid::new_v4(), &id.to_string(), &id, &data, &"email", &now],
            )
            .await?;
        let found = statements.find_by_id.run(&client, &[&id]).await?;
        found.context("the user is gone")?;
        self.audit().await?;
        self.open_session(id).await?;
        client.batch_execute("commit").await?;
        Ok(())
    }
}
