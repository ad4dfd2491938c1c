//! When a probe that failed, or works again, is believed: decisions without a clock or a network.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// What a probe saw, the better first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// An answer in time.
    Up,
    /// An answer that took longer than it should.
    Slow,
    /// No answer, or a wrong one.
    Down,
}

/// How many results in a row it takes, and what counts as restless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// That many worse results in a row are believed.
    pub failures: u32,
    /// That many better results in a row are believed.
    pub recoveries: u32,
    /// That many changes within the window make a probe restless.
    pub flaps: usize,
    /// The time in which changes are counted.
    pub window: SignedDuration,
}

/// What is believed about a probe, and what speaks against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeState {
    settled: Seen,
    /// How many results in a row were all worse, or all better, than what is believed.
    against: u32,
    worse: bool,
    /// When the belief changed lately.
    changes: Vec<Timestamp>,
}

impl Default for ProbeState {
    fn default() -> Self {
        Self {
            settled: Seen::Up,
            against: 0,
            worse: false,
            changes: Vec::new(),
        }
    }
}

impl ProbeState {
    /// What is believed after one more result.
    #[must_use]
    pub fn after(mut self, seen: Seen, at: Timestamp, rules: &Rules) -> Self {
        self.changes
            .retain(|change| at.duration_since(*change) < rules.window);
        if seen == self.settled {
            self.against = 0;
            return self;
        }
        let worse = seen > self.settled;
        self.against = if self.worse == worse { self.against } else { 0 } + 1;
        self.worse = worse;
        let needed = if worse {
            rules.failures
        } else {
            rules.recoveries
        };
        if self.against >= needed {
            self.settled = seen;
            self.against = 0;
            self.changes.push(at);
        }
        self
    }

    /// What is believed. Downtime is counted by this.
    pub fn settled(&self) -> Seen {
        self.settled
    }

    /// What is shown. While the belief changes all the time, that itself is the news.
    pub fn shown(&self, at: Timestamp, rules: &Rules) -> Seen {
        let lately = self.changes.iter();
        let lately = lately.filter(|change| at.duration_since(**change) < rules.window);
        if lately.count() >= rules.flaps {
            Seen::Slow
        } else {
            self.settled
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};

    use super::{ProbeState, Rules, Seen};

    const RULES: Rules = Rules {
        failures: 3,
        recoveries: 2,
        flaps: 4,
        window: SignedDuration::from_mins(10),
    };

    fn seen(letter: char) -> Seen {
        match letter {
            'u' => Seen::Up,
            's' => Seen::Slow,
            _ => Seen::Down,
        }
    }

    /// What is shown after each of these results, which come every so many seconds.
    fn shown(results: &str, seconds: i64) -> String {
        let mut state = ProbeState::default();
        let mut at = Timestamp::UNIX_EPOCH;
        let mut shown = String::new();
        for letter in results.chars() {
            at += SignedDuration::from_secs(seconds);
            state = state.after(seen(letter), at, &RULES);
            shown.push(match state.shown(at, &RULES) {
                Seen::Up => 'u',
                Seen::Slow => 's',
                Seen::Down => 'd',
            });
        }
        shown
    }

    #[test]
    fn results_are_believed_when_there_are_enough_of_them_in_a_row() {
        for (results, expected) in [
            ("uuu", "uuu"),
            // Two failures are an accident, three are an outage.
            ("dduuu", "uuuuu"),
            ("dddd", "uudd"),
            ("ddudd", "uuuuu"),
            // One good answer is an accident too.
            ("dddudud", "uuddddd"),
            ("ddduu", "uuddu"),
            // Slow and down are both worse than up; the last one counts.
            ("sdd", "uud"),
            ("dds", "uus"),
            ("sss", "uus"),
            ("sssuu", "uussu"),
            // From slow to down it takes as many.
            ("sssddd", "uusssd"),
        ] {
            assert_eq!(shown(results, 3600), expected, "{results}");
        }
    }

    #[test]
    fn a_probe_that_changes_all_the_time_is_shown_as_restless() {
        // Down, up, down, up within ten minutes: four changes.
        assert_eq!(shown("ddduuddduu", 30), "uudduuudds");
        // The same over hours is told as it is.
        assert_eq!(shown("ddduuddduu", 3600), "uudduuuddu");
    }

    #[test]
    fn peace_returns_when_nothing_changed_for_a_while() {
        let results = format!("ddduuddduu{}", "u".repeat(25));
        let shown = shown(&results, 30);
        assert!(shown[9..20].chars().all(|letter| letter == 's'), "{shown}");
        assert!(shown.ends_with("uuu"), "{shown}");
    }

    #[test]
    fn what_is_believed_survives_being_written_down() {
        let at = Timestamp::UNIX_EPOCH;
        let mut state = ProbeState::default();
        for _ in 0..4 {
            state = state.after(Seen::Down, at, &RULES);
        }
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<ProbeState>(&text).unwrap(), state);
        assert_eq!(state.settled(), Seen::Down);
    }
}
