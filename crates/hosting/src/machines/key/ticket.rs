//! One-time tickets with which a browser, which cannot send headers with a websocket, opens a console.

use aws_lc_rs::digest::{Digest, SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use innkeeper_service::database::Executor;
use innkeeper_service::random;
use innkeeper_service::secret::Secret;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::verified::VerifiedKey;
use crate::store;
use crate::store::console_tickets::{self, TicketBinding};

/// How long a ticket works that a program gets.
pub(crate) const LIFETIME: SignedDuration = SignedDuration::from_secs(30);
/// How long a ticket works that waits in a form for a person who reads the page.
pub(crate) const FORM_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// The length of a ticket: 256 bits in base64url.
const LENGTH: usize = 43;

/// A new ticket.
#[derive(Debug)]
pub(crate) struct IssuedTicket {
    /// The ticket, which can stand in the header `Sec-WebSocket-Protocol`.
    pub(crate) text: Secret<String>,
    /// When it stops working.
    pub(crate) expires_at: Timestamp,
}

/// What a ticket gave to whoever presented it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TicketGrant {
    /// The key that it was made with, which may have been revoked since.
    pub(crate) key_id: String,
    /// The only machine whose console it opens.
    pub(crate) machine_id: Uuid,
}

/// Makes a ticket for the console of a machine, which works until a time. If an origin is given, only pages of
/// that origin can use it.
pub(crate) async fn create(
    conn: &dyn Executor,
    key: &VerifiedKey,
    machine_id: Uuid,
    origin: Option<&str>,
    expires_at: Timestamp,
) -> store::Result<IssuedTicket> {
    let text = URL_SAFE_NO_PAD.encode(random::bytes::<32>());
    let binding = TicketBinding {
        key_id: key.key.id.clone(),
        machine_id,
        origin: origin.map(str::to_owned),
        expires_at,
    };
    console_tickets::insert(conn, hash(&text).as_ref(), &binding).await?;
    Ok(IssuedTicket {
        text: Secret::new(text),
        expires_at,
    })
}

/// Uses a ticket up; `None` if it does not exist, has expired or is for another origin. It is used up also
/// then. The caller checks the key and the machine.
pub(crate) async fn redeem(
    conn: &dyn Executor,
    text: &str,
    origin: Option<&str>,
    now: Timestamp,
) -> store::Result<Option<TicketGrant>> {
    if text.len() != LENGTH {
        return Ok(None);
    }
    let taken = console_tickets::take(conn, hash(text).as_ref()).await?;
    let valid = taken.filter(|binding| is_valid(binding, origin, now));
    Ok(valid.map(|binding| TicketGrant {
        key_id: binding.key_id,
        machine_id: binding.machine_id,
    }))
}

fn is_valid(binding: &TicketBinding, origin: Option<&str>, now: Timestamp) -> bool {
    let is_for_origin = match &binding.origin {
        Some(expected) => origin.is_some_and(|origin| origin.eq_ignore_ascii_case(expected)),
        None => true,
    };
    // A ticket with more time than any has is from before the clock was set back.
    let left = binding.expires_at.duration_since(now);
    is_for_origin && left.is_positive() && left <= FORM_LIFETIME
}

fn hash(text: &str) -> Digest {
    digest(&SHA256, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_for_its_origin_and_its_time() {
        let end = Timestamp::from_second(1_000_000).unwrap();
        let before = end - SignedDuration::from_micros(1);
        let mut binding = TicketBinding {
            key_id: "Abcdefgh0123".to_owned(),
            machine_id: Uuid::from_u128(1),
            origin: None,
            expires_at: end,
        };
        assert!(is_valid(&binding, None, before));
        assert!(is_valid(&binding, Some("https://panel.example"), before));
        assert!(!is_valid(&binding, None, end));
        for minutes in [10, 11] {
            let now = end - SignedDuration::from_mins(minutes);
            assert_eq!(is_valid(&binding, None, now), minutes == 10, "{minutes}");
        }
        binding.origin = Some("https://panel.example".to_owned());
        assert!(is_valid(&binding, Some("https://panel.example"), before));
        assert!(!is_valid(&binding, Some("https://panel.example"), end));
        for other in [
            None,
            Some("https://evil.example"),
            Some("http://panel.example"),
        ] {
            assert!(!is_valid(&binding, other, before), "{other:?}");
        }
    }
}
