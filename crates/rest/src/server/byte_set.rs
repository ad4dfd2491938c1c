//! A set of bytes.

/// A set of bytes whose members are known at compile time.
#[derive(Debug)]
pub(super) struct ByteSet([bool; 256]);

impl ByteSet {
    pub(super) const fn new(members: &[u8]) -> Self {
        let mut table = [false; 256];
        let mut index = 0;
        while index < members.len() {
            #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
            {
                table[members[index] as usize] = true;
            }
            index += 1;
        }
        Self(table)
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }
}
