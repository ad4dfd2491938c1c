//! Sizes of memory and disks, as operators write them.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, written as `512M`, `10G` or `10GiB`; the units are powers of 1024.
///
/// ```
/// use innkeeper_hosting::model::ByteSize;
///
/// assert_eq!("10G".parse::<ByteSize>().unwrap(), "10240MiB".parse().unwrap());
/// assert_eq!("1536".parse::<ByteSize>().unwrap().bytes(), 1536);
/// assert_eq!("512M".parse::<ByteSize>().unwrap().to_string(), "512M");
/// assert!("10GB".parse::<ByteSize>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(u64);

/// The error for a text that is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a size such as 512M or 10G")]
pub struct InvalidSize;

const UNITS: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];

impl ByteSize {
    /// Returns the size of so many bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the number of whole MiB, if it has no fraction.
    pub fn mebibytes(self) -> Option<u32> {
        let is_whole = self.0.is_multiple_of(1 << 20);
        is_whole.then(|| u32::try_from(self.0 >> 20).ok()).flatten()
    }
}

impl FromStr for ByteSize {
    type Err = InvalidSize;

    fn from_str(text: &str) -> Result<Self, InvalidSize> {
        let end = text.find(|letter: char| !letter.is_ascii_digit());
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let number: u64 = number.parse().map_err(|_| InvalidSize)?;
        let unit = unit.strip_suffix("iB").unwrap_or(unit);
        let shift = match UNITS.iter().find(|(letter, _)| unit == letter.to_string()) {
            Some((_, shift)) => *shift,
            None if unit.is_empty() && !text.ends_with("iB") => 0,
            None => return Err(InvalidSize),
        };
        let bytes = number.checked_mul(1 << shift).ok_or(InvalidSize)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        let mut units = UNITS.iter();
        match units.find(|(_, shift)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
            Some((letter, shift)) => write!(f, "{}{letter}", bytes >> shift),
            None => write!(f, "{bytes}"),
        }
    }
}

impl From<u64> for ByteSize {
    fn from(bytes: u64) -> Self {
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSize;

    #[test]
    fn sizes_have_binary_units_and_nothing_else() {
        for (text, bytes) in [
            ("0", 0),
            ("7", 7),
            ("1K", 1024),
            ("2MiB", 2 << 20),
            ("3T", 3 << 40),
        ] {
            assert_eq!(text.parse::<ByteSize>().map(ByteSize::bytes), Ok(bytes));
        }
        for wrong in [
            "",
            "G",
            "-1G",
            "1.5G",
            "1 G",
            "1g",
            "1GB",
            "iB",
            "7iB",
            "99999999999T",
        ] {
            assert!(wrong.parse::<ByteSize>().is_err(), "{wrong}");
        }
        assert_eq!(ByteSize(1536 << 20).to_string(), "1536M");
        assert_eq!(ByteSize(0).to_string(), "0");
        assert_eq!(ByteSize((1 << 20) + 1).mebibytes(), None);
    }
}
