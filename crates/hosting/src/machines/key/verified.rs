//! A key that was checked.

use std::net::IpAddr;

use jiff::Timestamp;
use uuid::Uuid;

use super::error::KeyError;
use crate::model::{ApiKey, Scope};

/// A key whose secret was presented, or to which a one-time ticket belongs.
#[derive(Debug)]
pub(crate) struct VerifiedKey {
    pub(crate) key: ApiKey,
}

impl VerifiedKey {
    /// Tells whether the key has a scope.
    pub(crate) fn allows(&self, scope: Scope) -> bool {
        self.key.scopes.allows(scope)
    }

    /// Tells whether the key may be used for a machine of its customer.
    pub(crate) fn may_use(&self, machine: Uuid) -> bool {
        let machines = self.key.machines.as_ref();
        machines.is_none_or(|machines| machines.contains(&machine))
    }
}

/// Checks that a key is neither revoked nor expired.
pub(super) fn check_state(key: &ApiKey, now: Timestamp) -> Result<(), KeyError> {
    if key.revoked_at.is_some() {
        return Err(KeyError::Revoked);
    }
    if key.expires_at.is_some_and(|expires_at| expires_at <= now) {
        return Err(KeyError::Expired);
    }
    Ok(())
}

/// Checks that a key may be used from the address of a client, `None` if that is unknown.
pub(super) fn check_address(key: &ApiKey, address: Option<IpAddr>) -> Result<(), KeyError> {
    let Some(networks) = &key.networks else {
        return Ok(());
    };
    let mut networks = networks.iter();
    if address.is_some_and(|address| networks.any(|network| network.contains(address))) {
        return Ok(());
    }
    Err(KeyError::AddressNotAllowed {
        key_id: key.id.clone(),
        customer_id: key.customer_id.clone(),
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::model::Scopes;

    fn key() -> ApiKey {
        ApiKey {
            id: "Abcdefgh0123".to_owned(),
            customer_id: "cus_1".to_owned(),
            name: "CI".to_owned(),
            scopes: Scopes::new([Scope::GameRead]),
            machines: None,
            networks: None,
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
            last_used_at: None,
            last_used_from: None,
        }
    }

    #[test]
    fn a_key_ends_at_its_expiry_and_not_before() {
        let end = Timestamp::from_second(1_000_000).unwrap();
        let mut key = key();
        assert_eq!(check_state(&key, Timestamp::MAX), Ok(()));
        key.expires_at = Some(end);
        let moment = SignedDuration::from_micros(1);
        assert_eq!(check_state(&key, end - moment), Ok(()));
        assert_eq!(check_state(&key, end), Err(KeyError::Expired));
        key.revoked_at = Some(end + moment);
        assert_eq!(check_state(&key, end - moment), Err(KeyError::Revoked));
    }

    #[test]
    fn a_key_is_for_its_networks() {
        let mut key = key();
        assert_eq!(check_address(&key, None), Ok(()));
        key.networks = Some(vec![
            "192.0.2.0/24".parse().unwrap(),
            "2001:db8::/48".parse().unwrap(),
        ]);
        for (address, inside) in [
            ("192.0.2.7", true),
            ("::ffff:192.0.2.7", true),
            ("192.0.3.7", false),
            ("2001:db8:0:9::1", true),
            ("2001:db8:1::1", false),
            ("::192.0.2.7", false),
        ] {
            let checked = check_address(&key, Some(address.parse().unwrap()));
            assert_eq!(checked.is_ok(), inside, "{address}");
        }
        assert!(check_address(&key, None).is_err(), "an unknown address");
        key.networks = Some(Vec::new());
        let address = Some("192.0.2.7".parse().unwrap());
        assert!(check_address(&key, address).is_err(), "no network");
    }

    #[test]
    fn a_key_is_for_its_scopes_and_machines() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut verified = VerifiedKey { key: key() };
        assert!(verified.may_use(one) && verified.may_use(other));
        verified.key.machines = Some(vec![one]);
        assert!(verified.may_use(one) && !verified.may_use(other));
        verified.key.machines = Some(Vec::new());
        assert!(!verified.may_use(one));
        assert!(verified.allows(Scope::GameRead));
        assert!(!verified.allows(Scope::GamePower) && !verified.allows(Scope::All));
        verified.key.scopes = Scopes::new([Scope::All]);
        assert!(verified.allows(Scope::GamePower));
    }
}
