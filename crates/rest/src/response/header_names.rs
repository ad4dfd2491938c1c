//! Sets of header names, as bits: a Bloom filter in front of the headers.

use http::header::HeaderName;

/// The header names that may be present: most lookups are for names that are absent.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct HeaderNameSet(u64);

/// The bits that belong to one name each.
const EXCLUSIVE: u64 = 0xffff;

/// Returns the bit of a name. Names that are looked up in nearly every response have an exclusive bit.
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
        b"content-security-policy" => 1 << 11,
        _ => 1 << (16 + hash(name) % 48),
    }
}

const fn hash(name: &[u8]) -> usize {
    let [first, .., last] = name else {
        return name.len();
    };
    (9 * name.len()) ^ (*first as usize) ^ ((*last as usize) << 1)
}

impl HeaderNameSet {
    /// Creates the set of these names.
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n HeaderName>) -> Self {
        let mut all = Self::default();
        for name in names {
            all.add(name);
        }
        all
    }

    /// Creates the set of the names in the value of a header; a star stands for all.
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

    /// Whether a name is present, if the bits alone can tell.
    pub(super) fn knows(self, name: &IndexedName) -> Option<bool> {
        match self.0 & name.set.0 {
            0 => Some(false),
            bit if bit & EXCLUSIVE != 0 => Some(true),
            _ => None,
        }
    }
}

/// A header name with its bit, for names that are looked up often.
#[derive(Debug, Clone)]
pub(crate) struct IndexedName {
    name: HeaderName,
    set: HeaderNameSet,
}

impl IndexedName {
    /// Creates a name at compile time.
    pub(crate) const fn known(name: &'static str) -> Self {
        Self {
            name: HeaderName::from_static(name),
            set: HeaderNameSet(bit(name.as_bytes())),
        }
    }

    pub(crate) fn new(name: HeaderName) -> Self {
        Self {
            set: HeaderNameSet::of([&name]),
            name,
        }
    }

    pub(crate) fn as_header(&self) -> &HeaderName {
        &self.name
    }

    /// Returns the set of this name alone.
    pub(crate) const fn set(&self) -> HeaderNameSet {
        self.set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusive_bit_belongs_to_one_name() {
        let known = IndexedName::new(http::header::CONTENT_TYPE);
        let other = IndexedName::new(HeaderName::from_static("x-other"));
        let set = HeaderNameSet::of([known.as_header()]);
        assert_eq!(set.knows(&known), Some(true));
        assert_eq!(set.knows(&other), Some(false));
        assert_eq!(HeaderNameSet::of([other.as_header()]).knows(&other), None);
        assert_eq!(HeaderNameSet::default().knows(&known), Some(false));
    }
}
