//! Hashes of client addresses, with a salt for each day.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::hmac;
use innkeeper_service::database::{DatabaseError, Executor};
use innkeeper_service::random;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::store;
use crate::store::feedback::Salt;

/// A cache of the salts of today and yesterday.
#[derive(Default)]
pub(crate) struct SaltCache(Mutex<Option<DailySalts>>);

/// The salts of a day and of the day before.
#[derive(Clone, Copy)]
pub(super) struct DailySalts {
    day: Date,
    pub(super) today: Salt,
    pub(super) yesterday: Salt,
}

impl std::fmt::Debug for SaltCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SaltCache")
    }
}

impl SaltCache {
    /// Returns the salts of today and yesterday, from the database on the first call of a day.
    pub(super) async fn get(
        &self,
        conn: &dyn Executor,
        now: Timestamp,
    ) -> Result<DailySalts, DatabaseError> {
        let day = now.to_zoned(TimeZone::UTC).date();
        let cached = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(salts) = cached
            && salts.day == day
        {
            return Ok(salts);
        }
        store::feedback::insert_salt(conn, day, &random::bytes::<32>()).await?;
        let day_before = day.saturating_sub(Span::new().days(1));
        let stored = store::feedback::salts(conn, day_before).await?;
        let of = |day: Date| {
            stored
                .iter()
                .find(|(known, _)| *known == day)
                .map(|(_, salt)| *salt)
        };
        let today = of(day).unwrap_or_else(random::bytes);
        // Without a salt nobody sent feedback that day.
        let yesterday = of(day_before).unwrap_or(today);
        let salts = DailySalts {
            day,
            today,
            yesterday,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(salts);
        Ok(salts)
    }
}

/// Returns the hash that a client is stored as. An IPv6 client is its /64 network, which usually belongs
/// to one customer.
pub(super) fn client_hash(salt: &Salt, address: IpAddr) -> hmac::Tag {
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
    use super::client_hash;

    #[test]
    fn a_client_is_a_network_and_a_day() {
        let of = |day: u8, address: &str| {
            let tag = client_hash(&[day; 32], address.parse().unwrap());
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
