//! What readers say about articles of the knowledge base.
//!
//! Nobody's address is stored. A client is a keyed hash of its address, the key is a salt of the day,
//! and salts are deleted a day after their day: within a day the same client is recognised, later
//! nobody can tell who it was.

mod check;
mod csv;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::hmac;
use innkeeper_service::database::{Database, DatabaseError};
use innkeeper_service::random;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use check::{Fault, REASONS};
pub use csv::csv;

use crate::store::{self, GenericClient};

/// What a reader says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = Feedback::example())]
pub struct Feedback {
    /// The article.
    #[schemars(regex(pattern = "^/"), length(max = 1024))]
    pub path: String,
    /// Whether it helped.
    pub helpful: bool,
    /// Why not, one of [`REASONS`].
    #[schemars(extend("enum" = reasons()))]
    pub reason: Option<String>,
    /// In own words.
    #[schemars(length(max = 2000))]
    pub comment: Option<String>,
    /// Where to answer.
    #[schemars(length(max = 254))]
    pub email: Option<String>,
}

impl Feedback {
    /// Feedback on an article of the demo content, for the description of the API.
    fn example() -> Self {
        Self {
            path: "/kb/vps/first-steps".to_owned(),
            helpful: false,
            reason: Some("unclear".to_owned()),
            comment: Some("Which user do I sign in as?".to_owned()),
            email: None,
        }
    }
}

/// What a reason may be, for the description of the API; an empty one is none.
fn reasons() -> Vec<Option<&'static str>> {
    let known = REASONS.map(Some).into_iter();
    known.chain([Some(""), None]).collect()
}

/// How often an article was found helpful, and not.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// The article.
    pub path: String,
    /// How often it was.
    pub helpful: i64,
    /// How often it was not.
    pub not_helpful: i64,
    /// How many said more.
    pub comments: i64,
    /// When somebody last said something.
    #[serde(serialize_with = "crate::status::millis")]
    pub last_at: Timestamp,
}

/// Feedback as it is stored.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name.
    pub id: Uuid,
    /// What was said.
    pub feedback: Feedback,
    /// When it was first said.
    pub received_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What makes the hashes of a day.
pub(crate) type Salt = [u8; 32];

/// The salts of today and yesterday.
#[derive(Default)]
pub(crate) struct Salts(Mutex<Option<(Date, Salt, Salt)>>);

impl std::fmt::Debug for Salts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salts")
    }
}

/// What became of feedback.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) id: Uuid,
    pub(crate) received_at: Timestamp,
    /// Whether it is new, or changes what was said before.
    pub(crate) is_new: bool,
}

/// Stores feedback. When this returns, it is on disk.
pub(crate) async fn keep(
    database: &Database,
    salts: &Salts,
    address: IpAddr,
    feedback: &Feedback,
    now: Timestamp,
) -> Result<Kept, DatabaseError> {
    let connection = database.connection().await?;
    let (today, yesterday) = salts.of(&connection, now).await?;
    let (today, yesterday) = (client(&today, address), client(&yesterday, address));
    let client = store::feedback::Client {
        today: today.as_ref(),
        yesterday: yesterday.as_ref(),
    };
    let own = Uuid::new_v4();
    let (id, received_at) = store::feedback::keep(&connection, own, &client, feedback, now).await?;
    Ok(Kept {
        id,
        received_at,
        is_new: id == own,
    })
}

impl Salts {
    /// The salts of today and yesterday, from the database if it is another day than before.
    async fn of(
        &self,
        conn: &impl GenericClient,
        now: Timestamp,
    ) -> Result<(Salt, Salt), DatabaseError> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let kept = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((day, this, last)) = kept
            && day == today
        {
            return Ok((this, last));
        }
        store::feedback::make_salt(conn, today, &random::bytes::<32>()).await?;
        let yesterday = today.saturating_sub(Span::new().days(1));
        let salts = store::feedback::salts(conn, yesterday).await?;
        let of = |day: Date| {
            salts
                .iter()
                .find(|(known, _)| *known == day)
                .map(|(_, salt)| *salt)
        };
        // Without a salt nobody said anything that day.
        let this = of(today).unwrap_or_else(random::bytes);
        let last = of(yesterday).unwrap_or(this);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((today, this, last));
        Ok((this, last))
    }
}

/// A client as it is stored. One customer usually has all of an IPv6 network.
fn client(salt: &Salt, address: IpAddr) -> hmac::Tag {
    let bits = match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => Ipv6Addr::to_bits(address) & (u128::MAX << 64),
    };
    hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, salt),
        &bits.to_be_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use super::client;

    #[test]
    fn a_client_is_a_network_and_a_day() {
        let of = |day: u8, address: &str| {
            let tag = client(&[day; 32], address.parse().unwrap());
            tag.as_ref().to_vec()
        };
        assert_eq!(of(1, "192.0.2.1"), of(1, "::ffff:192.0.2.1"));
        assert_eq!(of(1, "2001:db8::1"), of(1, "2001:db8::ffff:2"));
        assert_ne!(of(1, "2001:db8::1"), of(1, "2001:db8:0:1::1"));
        assert_ne!(of(1, "192.0.2.1"), of(1, "192.0.2.2"));
        assert_ne!(of(1, "192.0.2.1"), of(2, "192.0.2.1"));
        assert!(
            !of(1, "192.0.2.1")
                .windows(4)
                .any(|bytes| bytes == [192, 0, 2, 1])
        );
    }
}
