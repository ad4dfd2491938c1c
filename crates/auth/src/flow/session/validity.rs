//! The validity of sessions, decided without a database.

use jiff::{SignedDuration, Timestamp};

use super::SessionRecord;
use crate::base::error::AuthError;
use crate::base::error_code::ErrorCode;
use crate::config::SessionsConfig;

/// Refuses a session that has expired. One of a user who has a second factor may last less long without it.
pub(crate) fn check(
    session: &SessionRecord,
    has_factor: bool,
    config: &SessionsConfig,
    now: Timestamp,
) -> Result<(), AuthError> {
    let past = |start: Timestamp, length: Option<SignedDuration>| {
        length.is_some_and(|length| now.duration_since(start) > length)
    };
    let began = session.created_at.unwrap_or(Timestamp::UNIX_EPOCH);
    let is_over = session.not_after.is_some_and(|end| now > end);
    if is_over || past(began, config.timebox) {
        Err(expired("Session Expired"))
    } else if past(session.used_at(), config.inactivity_timeout) {
        Err(expired("Session Expired (Inactivity)"))
    } else if has_factor && !session.has_second_level() && past(began, config.allow_low_aal) {
        Err(expired("Session Expired (Low AAL: Second Factor Needed)"))
    } else {
        Ok(())
    }
}

/// 400 `session_expired`.
pub(crate) fn expired(reason: &'static str) -> AuthError {
    AuthError::refused(
        ErrorCode::SessionExpired,
        format!("Invalid Refresh Token: {reason}"),
    )
}

/// Returns the tags that count as that of the session. A tag that is empty or not configured counts as
/// the first configured one.
pub(crate) fn equivalent_tags(session: &SessionRecord, config: &SessionsConfig) -> Vec<String> {
    let tag = session.tag.as_deref().unwrap_or_default();
    let first = config.tags.first();
    let known = config.tags.iter().any(|known| known == tag);
    if known && first.is_none_or(|first| first != tag) {
        return vec![tag.to_owned()];
    }
    // Sessions without a tag count as the first.
    let mut alike = vec![String::new()];
    alike.extend(first.cloned());
    alike
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use uuid::Uuid;

    use super::{check, equivalent_tags};
    use crate::config::SessionsConfig;
    use crate::flow::session::SessionRecord;

    fn session(created: i64, refreshed: Option<i64>) -> SessionRecord {
        let at = |second| Timestamp::from_second(second).unwrap();
        SessionRecord {
            id: Uuid::nil(),
            created_at: Some(at(created)),
            refreshed_at: refreshed.map(at),
            aal: None,
            not_after: None,
            tag: None,
            hmac_key: None,
            counter: None,
            methods: None,
        }
    }

    #[test]
    fn timebox_counts_from_the_start_and_inactivity_from_the_last_use() {
        let hour = Some(SignedDuration::from_hours(1));
        let timebox = SessionsConfig {
            timebox: hour,
            ..SessionsConfig::default()
        };
        let inactivity = SessionsConfig {
            inactivity_timeout: hour,
            ..SessionsConfig::default()
        };
        let now = Timestamp::from_second(10_000).unwrap();
        let old_but_used = session(6_000, Some(9_000));
        let recent = session(9_000, None);
        let idle = session(6_000, None);
        assert!(check(&old_but_used, false, &timebox, now).is_err());
        assert!(check(&old_but_used, false, &inactivity, now).is_ok());
        assert!(check(&recent, false, &timebox, now).is_ok());
        assert!(check(&idle, false, &inactivity, now).is_err());
        assert!(check(&idle, false, &SessionsConfig::default(), now).is_ok());
    }

    #[test]
    fn a_session_ends_at_its_own_end() {
        let mut ended = session(0, None);
        ended.not_after = Timestamp::from_second(50).ok();
        let at = |second| Timestamp::from_second(second).unwrap();
        assert!(check(&ended, false, &SessionsConfig::default(), at(50)).is_ok());
        assert!(check(&ended, false, &SessionsConfig::default(), at(51)).is_err());
    }

    #[test]
    fn a_user_with_a_second_factor_must_use_it_in_time() {
        let config = SessionsConfig {
            allow_low_aal: Some(SignedDuration::from_secs(100)),
            ..SessionsConfig::default()
        };
        let at = |second| Timestamp::from_second(second).unwrap();
        let low = session(1000, Some(1090));
        let high = SessionRecord {
            aal: Some("aal2".to_owned()),
            ..low.clone()
        };
        for (session, has_factor, now, is_valid) in [
            (&low, true, 1100, true),
            (&low, true, 1101, false),
            (&low, false, 1101, true),
            (&high, true, 1101, true),
        ] {
            let checked = check(session, has_factor, &config, at(now));
            assert_eq!(checked.is_ok(), is_valid, "{session:?} {has_factor} {now}");
        }
        assert!(check(&low, true, &SessionsConfig::default(), at(9999)).is_ok());
    }

    #[test]
    fn a_tag_that_is_not_configured_counts_as_the_first() {
        let config = SessionsConfig {
            tags: vec!["web".to_owned(), "phone".to_owned()],
            ..SessionsConfig::default()
        };
        let tagged = |tag: &str| SessionRecord {
            tag: Some(tag.to_owned()),
            ..session(0, None)
        };
        assert_eq!(equivalent_tags(&tagged("phone"), &config), ["phone"]);
        assert_eq!(equivalent_tags(&tagged("web"), &config), ["", "web"]);
        assert_eq!(equivalent_tags(&tagged("tablet"), &config), ["", "web"]);
        assert_eq!(equivalent_tags(&session(0, None), &config), ["", "web"]);
    }
}
