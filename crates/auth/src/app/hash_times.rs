//! How long password checks take, so that failed sign-ins do not reveal the kind of an account's hash.
//!
//! A database that was taken over has hashes of several algorithms and costs, and a check takes between 20 and
//! 1000 ms. Somebody who measures that would learn which accounts exist and how old their passwords are. So
//! all failed sign-ins wait for the moment at which the costliest check would have ended. The kinds of hashes
//! are those of a sample of the stored ones, each measured once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use innkeeper_service::database::Executor;

use crate::app::App;
use crate::crypto::password::kind_of;
use crate::crypto::seal::is_sealed;
use crate::store;

/// The latest moment of a failed sign-in, unless its own check takes longer.
const LATEST: Duration = Duration::from_secs(1);

/// The rest of the work, such as the query for the account and the entry in the audit log.
const REST: Duration = Duration::from_millis(25);

/// How long a check takes, by kind of hash.
#[derive(Debug, Default)]
pub(crate) struct HashTimes(Mutex<BTreeMap<String, Duration>>);

impl HashTimes {
    /// Returns how long after its start a failed sign-in is answered, at the earliest.
    pub(crate) fn failure_moment(&self) -> Duration {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failure_moment(times.values().max().copied())
    }

    fn is_known(&self, kind: &str) -> bool {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.contains_key(kind)
    }

    fn record(&self, kind: String, time: Duration) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.insert(kind, time);
    }

    /// Forgets kinds that are not stored any more.
    fn keep(&self, kinds: &BTreeMap<String, Tally>) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.retain(|kind, _| kinds.contains_key(kind));
    }
}

/// Returns the moment for this costliest check: later by a quarter, because a check under load takes longer.
fn failure_moment(costliest: Option<Duration>) -> Duration {
    let Some(costliest) = costliest else {
        return Duration::ZERO;
    };
    let quarter = costliest / 4;
    costliest
        .saturating_add(quarter)
        .saturating_add(REST)
        .min(LATEST)
}

/// The number of hashes of a kind in the sample, and one of them.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    count: usize,
    example: String,
}

/// Counts the hashes by kind. Those that cannot be parsed are left out.
fn tally(hashes: Vec<String>) -> BTreeMap<String, Tally> {
    let mut kinds = BTreeMap::new();
    for hash in hashes {
        let Ok(kind) = kind_of(&hash) else { continue };
        let tally = kinds.entry(kind).or_insert(Tally {
            count: 0,
            example: hash,
        });
        tally.count += 1;
    }
    kinds
}

/// Makes the check for an unknown user compute a hash of the most frequent kind.
pub(crate) async fn imitate(app: &App, conn: &dyn Executor) -> store::Result<()> {
    let kinds = tally(sample(app, conn).await?);
    imitate_most_frequent(app, &kinds);
    Ok(())
}

/// As [`imitate`], and measures the kinds that were not measured yet.
pub(crate) async fn refresh(app: &App, conn: &dyn Executor) -> store::Result<()> {
    let kinds = tally(sample(app, conn).await?);
    imitate_most_frequent(app, &kinds);
    app.hash_times.keep(&kinds);
    for (kind, tally) in kinds {
        if app.hash_times.is_known(&kind) {
            continue;
        }
        match app.hashes.measure(&tally.example).await {
            Ok(time) => app.hash_times.record(kind, time),
            // A busy server measures it the next time.
            Err(error) => tracing::debug!(%error, "a kind of password hash was not measured"),
        }
    }
    Ok(())
}

fn imitate_most_frequent(app: &App, kinds: &BTreeMap<String, Tally>) {
    let most_frequent = kinds.values().max_by_key(|tally| tally.count);
    if let Some(tally) = most_frequent
        && let Err(error) = app.hashes.set_dummy(&tally.example)
    {
        tracing::warn!(%error, "a stored password hash cannot be used");
    }
}

/// Returns the hashes of the sample, unsealed.
async fn sample(app: &App, conn: &dyn Executor) -> store::Result<Vec<String>> {
    let stored = store::users::sample_hashes(conn).await?;
    let open = |(id, stored): (uuid::Uuid, String)| {
        if !is_sealed(&stored) {
            return Some(stored);
        }
        let opened = app.sealer.open(&id.to_string(), &stored).ok()?;
        Some(String::from_utf8_lossy(&opened).into_owned())
    };
    Ok(stored.into_iter().filter_map(open).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{HashTimes, failure_moment, tally};

    #[test]
    fn a_failure_is_answered_after_the_costliest_check_and_at_the_latest_after_a_second() {
        let moment = |millis| failure_moment(Some(Duration::from_millis(millis))).as_millis();
        assert_eq!([0, 100, 400].map(moment), [25, 150, 525]);
        assert_eq!([779, 780, 781, 6000].map(moment), [998, 1000, 1000, 1000]);
        assert_eq!(failure_moment(None), Duration::ZERO);
    }

    #[test]
    fn kinds_are_told_by_algorithm_and_cost_and_forgotten_when_they_are_gone() {
        let bcrypt = |cost: &str| {
            format!("$2a${cost}$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e")
        };
        let argon2 = "$argon2id$v=19$m=64,t=1,p=1$c2l4dGVlbiBieXRlIHNhbHQ$c2l4dGVlbiBieXRlIHNhbHQ";
        let hashes = vec![
            bcrypt("10"),
            bcrypt("12"),
            argon2.to_owned(),
            argon2.replace("t=1", "t=2"),
            bcrypt("10"),
            "broken".to_owned(),
        ];
        let kinds = tally(hashes);
        let counts: Vec<_> = kinds
            .iter()
            .map(|(kind, tally)| (kind.as_str(), tally.count))
            .collect();
        assert_eq!(
            counts,
            [
                ("$2a$10$", 2),
                ("$2a$12$", 1),
                ("argon2id, 64, 1, 1", 1),
                ("argon2id, 64, 2, 1", 1)
            ]
        );
        let times = HashTimes::default();
        times.record("$2a$10$".to_owned(), Duration::from_millis(100));
        times.record("$2a$14$".to_owned(), Duration::from_millis(700));
        assert_eq!(times.failure_moment(), Duration::from_millis(900));
        times.keep(&kinds);
        assert_eq!(times.failure_moment(), Duration::from_millis(150));
    }
}
