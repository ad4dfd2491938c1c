//! Links and codes that GoTrue sent before its database was taken over. It stored an unkeyed hash of
//! address and code. They stay valid until they expire.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA224, digest};
use jiff::Timestamp;

use super::{PKCE_PREFIX, TokenKind, hex};
use crate::store::one_time_tokens::FormerRow;

/// The length of GoTrue's hash in hexadecimal digits.
const LENGTH: usize = 56;

/// Whether the secret of a link has the form of GoTrue's.
pub(crate) fn is_link(secret: &str) -> bool {
    let hash = secret.strip_prefix(PKCE_PREFIX).unwrap_or(secret);
    hash.len() == LENGTH
        && hash
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Returns when a code of this kind was sent, if this is that code.
pub(crate) fn sent_at(
    row: &FormerRow,
    kind: TokenKind,
    address: &str,
    code: &str,
) -> Option<Timestamp> {
    let (stored, sent_at) = match kind {
        TokenKind::Confirmation => (&row.confirmation_token, row.confirmation_sent_at),
        TokenKind::Recovery => (&row.recovery_token, row.recovery_sent_at),
        TokenKind::EmailChangeNew => (&row.email_change_token_new, row.email_change_sent_at),
        TokenKind::EmailChangeCurrent => {
            (&row.email_change_token_current, row.email_change_sent_at)
        }
        TokenKind::PhoneChange => (&row.phone_change_token, row.phone_change_sent_at),
        TokenKind::Reauthentication => (&row.reauthentication_token, row.reauthentication_sent_at),
    };
    let stored = stored.as_deref()?;
    if !is_link(stored) {
        return None;
    }
    let stored = stored.strip_prefix(PKCE_PREFIX).unwrap_or(stored);
    let hash = hash(address, code);
    verify_slices_are_equal(hash.as_bytes(), stored.as_bytes()).ok()?;
    sent_at
}

fn hash(address: &str, code: &str) -> String {
    hex(digest(&SHA224, format!("{address}{code}").as_bytes()).as_ref())
}

#[cfg(test)]
mod tests {
    use super::{hash, is_link};

    #[test]
    fn links_of_gotrue_are_told_from_ours() {
        let former = hash("ada@example.com", "123456");
        assert!(is_link(&former));
        assert!(is_link(&format!("pkce_{former}")));
        assert!(!is_link(&super::super::hash("secret")));
        assert!(!is_link("AwvTqWDoOTPhM5CE0IoVb0S6cQ2fFUT6Q7kq3PyZsFU"));
        assert!(!is_link(""));
    }
}
