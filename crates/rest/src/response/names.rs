//! Names of headers, as a set that is asked without a look at the headers.

use http::header::HeaderName;

/// Which names there may be: most questions are about names that there are not.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Names(u64);

/// The bits of names that have one for themselves.
const ALONE: u64 = 0xffff;

/// The bit of a name. Those that nearly every response is asked for have one for themselves.
const fn bit(name: &[u8]) -> u64 {
    match name {
        b"content-type" => 1,
        b"content-length" => 1 << 1,
        b"cache-control" => 1 << 2,
        b"x-content-type-options" => 1 << 3,
        b"vary" => 1 << 4,
        b"access-control-allow-origin" => 1 << 5,
        b"access-control-allow-credentials" => 1 << 6,
        b"access-control-expose-headers" => 1 << 7,
        b"x-ratelimit-remaining" => 1 << 8,
        b"x-request-id" => 1 << 9,
        b"etag" => 1 << 10,
        _ => 1 << (16 + hash(name) % 48),
    }
}

const fn hash(name: &[u8]) -> usize {
    let [first, .., last] = name else {
        return name.len();
    };
    (9 * name.len()) ^ (*first as usize) ^ ((*last as usize) << 1)
}

impl Names {
    /// These names.
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n HeaderName>) -> Self {
        let mut all = Self::default();
        for name in names {
            all.add(name);
        }
        all
    }

    /// The names in the value of a header; a star stands for all.
    pub(super) fn listed(value: &[u8]) -> Self {
        let names = value.split(|byte| *byte == b',');
        let bits = names.map(|name| match name.trim_ascii() {
            b"*" => u64::MAX,
            name => bit(&name.to_ascii_lowercase()),
        });
        Self(bits.fold(0, |all, bit| all | bit))
    }

    pub(super) fn add(&mut self, name: &HeaderName) {
        self.0 |= bit(name.as_str().as_bytes());
    }

    pub(super) fn may_have(self, name: &HeaderName) -> bool {
        self.0 & bit(name.as_str().as_bytes()) != 0
    }

    pub(super) fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether a name is there, if that is known.
    pub(super) fn know(self, name: &Name) -> Option<bool> {
        match self.0 & name.set.0 {
            0 => Some(false),
            bit if bit & ALONE != 0 => Some(true),
            _ => None,
        }
    }
}

/// A name that responses are often asked for.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    name: HeaderName,
    set: Names,
}

impl Name {
    /// A name that is known when this is compiled.
    pub(crate) const fn known(name: &'static str) -> Self {
        Self {
            name: HeaderName::from_static(name),
            set: Names(bit(name.as_bytes())),
        }
    }

    pub(crate) fn new(name: HeaderName) -> Self {
        Self {
            set: Names::of([&name]),
            name,
        }
    }

    pub(crate) fn as_header(&self) -> &HeaderName {
        &self.name
    }

    /// The set of this name alone.
    pub(crate) const fn set(&self) -> Names {
        self.set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_of_its_own_is_nobody_elses() {
        let known = Name::new(http::header::CONTENT_TYPE);
        let other = Name::new(HeaderName::from_static("x-other"));
        let set = Names::of([known.as_header()]);
        assert_eq!(set.know(&known), Some(true));
        assert_eq!(set.know(&other), Some(false));
        assert_eq!(Names::of([other.as_header()]).know(&other), None);
        assert_eq!(Names::default().know(&known), Some(false));
    }
}
