//! Checks and tickets with a database, for the calls of open sockets, which have no route of their own.

use std::sync::Arc;
use std::time::Duration;

use innkeeper_service::clock::Clock;
use innkeeper_service::secret::Secret;
use innkeeper_service::testing::TestDatabase;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::ticket::{self, TicketGrant};
use super::{GeneratedKey, KeyChecker, KeyError, Peppers, VerifiedKey};
use crate::config::{Config, KeyConfig, Pepper};
use crate::model::{ApiKey, Customer, Scope, Scopes};
use crate::store;
use crate::store::api_keys::StoredKey;
use crate::store::database::{ServerDatabase, open_pool};

/// A key in a database, and a checker.
struct Desk {
    clock: Clock,
    database: Arc<ServerDatabase>,
    checker: KeyChecker,
    text: Secret<String>,
    id: String,
    _test_database: TestDatabase,
}

fn key_config() -> KeyConfig {
    KeyConfig {
        peppers: vec![Pepper {
            number: 1,
            secret: Secret::new(vec![7; 32]),
        }],
    }
}

/// Returns a key without limits, and its text.
fn stored_key(now: Timestamp) -> (Secret<String>, StoredKey) {
    let generated = GeneratedKey::generate();
    let parts = generated.parts().unwrap();
    let hash = Peppers::new(&key_config()).hash(parts).unwrap();
    let key = ApiKey {
        id: parts.id.as_str().to_owned(),
        customer_id: "north".to_owned(),
        name: "CI".to_owned(),
        scopes: Scopes::new([Scope::All]),
        machines: None,
        networks: None,
        created_at: now,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        last_used_from: None,
    };
    (generated.text, StoredKey { key, hash })
}

impl Desk {
    async fn open() -> Self {
        let test_database = TestDatabase::empty().await.unwrap();
        let mut config = Config::for_tests();
        config.database.url = Some(Secret::new(test_database.url().to_owned()));
        let pool = open_pool(&config.database, Duration::from_secs(5)).unwrap();
        let database = Arc::new(ServerDatabase::new(pool));
        database.make_ready().await.unwrap();
        let clock = Clock::manual();
        let connection = database.connection().await.unwrap();
        let customer = Customer {
            id: "north".to_owned(),
            name: "North".to_owned(),
            created_at: clock.now(),
        };
        store::customers::insert(&connection, &customer)
            .await
            .unwrap();
        let (text, stored) = stored_key(clock.now());
        store::api_keys::insert(&connection, &stored).await.unwrap();
        Self {
            checker: KeyChecker::new(&key_config(), Some(Arc::clone(&database)), clock.clone()),
            clock,
            database,
            text,
            id: stored.key.id,
            _test_database: test_database,
        }
    }

    async fn execute(&self, sql: &str) {
        let connection = self.database.connection().await.unwrap();
        connection.batch_execute(sql).await.unwrap();
    }

    fn pass(&self, millis: i64) {
        self.clock.advance(SignedDuration::from_millis(millis));
    }

    async fn check(&self) -> Result<Arc<VerifiedKey>, KeyError> {
        self.checker.check(self.text.reveal(), None).await
    }

    async fn recheck(&self) -> Result<Arc<VerifiedKey>, KeyError> {
        self.checker.recheck(&self.id).await
    }

    /// Makes every statement on keys fail.
    async fn take_away(&self) {
        self.execute("alter table api_keys rename to api_keys_away")
            .await;
    }

    async fn bring_back(&self) {
        self.execute("alter table api_keys_away rename to api_keys")
            .await;
    }
}

fn is_unavailable(result: &Result<Arc<VerifiedKey>, KeyError>) -> bool {
    matches!(result, Err(KeyError::Unavailable(_)))
}

#[tokio::test]
async fn an_open_socket_learns_of_a_revocation_within_five_seconds() {
    let desk = Desk::open().await;
    desk.check().await.unwrap();
    desk.execute("update api_keys set revoked_at = now()").await;
    let mut waited = 0;
    // As a socket does: twice a second.
    let refused = loop {
        match desk.recheck().await {
            Ok(_) => {
                desk.pass(500);
                waited += 500;
            }
            Err(error) => break error,
        }
    };
    assert_eq!(refused, KeyError::Revoked);
    assert!((4000..=5000).contains(&waited), "{waited}");
    // A request with the same key learns it from that.
    assert_eq!(desk.check().await.unwrap_err(), KeyError::Revoked);
}

#[tokio::test]
async fn an_open_socket_has_the_current_rights_of_its_key() {
    let desk = Desk::open().await;
    assert!(desk.recheck().await.unwrap().allows(Scope::GameLogs));
    desk.execute("update api_keys set scopes = '{game:read}'")
        .await;
    desk.pass(4000);
    let key = desk.recheck().await.unwrap();
    assert!(key.allows(Scope::GameRead) && !key.allows(Scope::GameLogs));
    desk.execute("delete from customers").await;
    desk.pass(4000);
    assert_eq!(desk.recheck().await.unwrap_err(), KeyError::Unauthenticated);
    let nonsense = desk.checker.recheck("nonsense").await;
    assert_eq!(nonsense.unwrap_err(), KeyError::Unauthenticated);
}

#[tokio::test]
async fn an_open_socket_outlives_an_outage_of_a_minute_and_no_more() {
    let desk = Desk::open().await;
    desk.check().await.unwrap();
    desk.take_away().await;
    for _ in 0..14 {
        desk.pass(4000);
        assert!(desk.recheck().await.is_ok());
    }
    // The last good answer is 60 seconds old.
    desk.pass(4000);
    assert!(is_unavailable(&desk.recheck().await));
    desk.bring_back().await;
    desk.pass(999);
    assert!(is_unavailable(&desk.recheck().await), "it is left alone");
    desk.pass(1);
    assert!(desk.recheck().await.is_ok());
}

#[tokio::test]
async fn a_key_expires_in_an_outage_as_well() {
    let desk = Desk::open().await;
    let in_ten = "update api_keys set expires_at = created_at + interval '10 s'";
    desk.execute(in_ten).await;
    assert!(desk.recheck().await.is_ok());
    desk.take_away().await;
    desk.pass(9000);
    assert!(desk.recheck().await.is_ok());
    desk.pass(1000);
    assert_eq!(desk.recheck().await.unwrap_err(), KeyError::Expired);
}

#[tokio::test]
async fn a_request_is_not_answered_with_an_old_reading() {
    let desk = Desk::open().await;
    desk.check().await.unwrap();
    desk.take_away().await;
    desk.pass(4999);
    assert!(desk.check().await.is_ok(), "cached");
    desk.pass(1);
    assert!(is_unavailable(&desk.check().await));
    desk.bring_back().await;
    desk.pass(1000);
    assert!(desk.check().await.is_ok());
}

#[tokio::test]
async fn sockets_of_one_key_share_one_question() {
    let desk = Desk::open().await;
    desk.check().await.unwrap();
    desk.pass(4000);
    // Whoever reads the key waits for this lock.
    let connection = desk.database.connection().await.unwrap();
    let lock = "begin; lock table api_keys in access exclusive mode";
    connection.batch_execute(lock).await.unwrap();
    let checker = &desk.checker;
    let waiting = futures_util::future::join_all((0..50).map(|_| checker.recheck(&desk.id)));
    let readers = async {
        // Copies of one template database have the same numbers for their tables.
        let count = "select count(*) from pg_locks \
                     join pg_database on pg_database.oid = pg_locks.database \
                     where datname = current_database() \
                         and relation = 'api_keys'::regclass and not granted";
        let (mut most, mut counted) = (0_i64, 0);
        // A second reader would come while the first waits.
        while counted < 20 {
            let row = connection.query_one(count, &[]).await.unwrap();
            most = most.max(row.get(0));
            counted += i64::from(most > 0);
        }
        connection.batch_execute("rollback").await.unwrap();
        most
    };
    let (answers, readers) = tokio::join!(waiting, readers);
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(readers, 1);
}

#[tokio::test]
async fn an_unknown_id_is_asked_for_once_in_five_seconds() {
    let desk = Desk::open().await;
    let (text, stored) = stored_key(desk.clock.now());
    let unknown = desk.checker.check(text.reveal(), None).await;
    assert_eq!(unknown.unwrap_err(), KeyError::Unauthenticated);
    let connection = desk.database.connection().await.unwrap();
    store::api_keys::insert(&connection, &stored).await.unwrap();
    desk.pass(4999);
    let cached = desk.checker.check(text.reveal(), None).await;
    assert_eq!(cached.unwrap_err(), KeyError::Unauthenticated);
    desk.pass(1);
    assert!(desk.checker.check(text.reveal(), None).await.is_ok());
}

#[tokio::test]
async fn a_ticket_works_once_for_its_key_and_machine() {
    let desk = Desk::open().await;
    let machine = Uuid::from_u128(7);
    desk.execute(
        "insert into machines (id, kind, public_id, customer_id, name, spec, observed_at, created_at) \
         values ('00000000-0000-0000-0000-000000000007', 'game', 'mc', 'north', 'mc', '{}', now(), now())",
    )
    .await;
    let key = desk.check().await.unwrap();
    let connection = desk.database.connection().await.unwrap();
    let origin = Some("https://panel.example");
    let create = async |origin| {
        let end = desk.clock.now() + ticket::LIFETIME;
        let ticket = ticket::create(&connection, &key, machine, origin, end).await;
        ticket.unwrap()
    };
    let redeem = async |text: &str, origin| {
        let now = desk.clock.now();
        ticket::redeem(&connection, text, origin, now)
            .await
            .unwrap()
    };
    let grant = TicketGrant {
        key_id: desk.id.clone(),
        machine_id: machine,
    };

    let ticket = create(origin).await;
    let left = ticket.expires_at.duration_since(desk.clock.now());
    assert!((29..=30).contains(&left.as_secs()), "{left}");
    assert_eq!(
        redeem(ticket.text.reveal(), origin).await,
        Some(grant.clone())
    );
    assert_eq!(redeem(ticket.text.reveal(), origin).await, None, "used");

    let ticket = create(origin).await;
    let evil = Some("https://evil.example");
    assert_eq!(redeem(ticket.text.reveal(), evil).await, None);
    assert_eq!(
        redeem(ticket.text.reveal(), origin).await,
        None,
        "used up by that"
    );

    let ticket = create(None).await;
    desk.pass(29_000);
    assert_eq!(redeem(ticket.text.reveal(), evil).await, Some(grant));
    let ticket = create(None).await;
    desk.pass(30_000);
    assert_eq!(redeem(ticket.text.reveal(), None).await, None, "expired");
    for nonsense in ["", "x", &"x".repeat(43), &"ä".repeat(22)] {
        assert_eq!(redeem(nonsense, None).await, None, "{nonsense}");
    }

    // What is stored does not open a console.
    let ticket = create(None).await;
    let row = connection
        .query_one("select t::text from console_tickets t", &[])
        .await;
    let row: String = row.unwrap().get(0);
    assert!(!row.contains(ticket.text.reveal().as_str()), "{row}");
}

#[tokio::test]
async fn of_two_who_present_a_ticket_one_is_let_in() {
    let desk = Desk::open().await;
    desk.execute(
        "insert into machines (id, kind, public_id, customer_id, name, spec, observed_at, created_at) \
         values ('00000000-0000-0000-0000-000000000007', 'game', 'mc', 'north', 'mc', '{}', now(), now())",
    )
    .await;
    let key = desk.check().await.unwrap();
    let first = desk.database.connection().await.unwrap();
    let second = desk.database.connection().await.unwrap();
    let now = desk.clock.now();
    let end = now + ticket::LIFETIME;
    let ticket = ticket::create(&first, &key, Uuid::from_u128(7), None, end)
        .await
        .unwrap();
    let (one, other) = tokio::join!(
        ticket::redeem(&first, ticket.text.reveal(), None, now),
        ticket::redeem(&second, ticket.text.reveal(), None, now),
    );
    let granted = [one.unwrap(), other.unwrap()].into_iter().flatten().count();
    assert_eq!(granted, 1);
}
