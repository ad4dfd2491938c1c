//! Decodes the log file of a container into the bytes that the container wrote.
//!
//! Each line of the file is a time, a stream, a tag and a piece of output. The tag `F` means that the piece
//! ended with a line feed, `P` that it did not. So the bytes can be put together again exactly.

/// Decodes a file piece by piece.
#[derive(Debug, Clone, Default)]
pub(super) struct LogDecoder {
    place: Place,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The fields before the output: how many were read, and the first byte of the current one.
    Fields { complete: u8, first: Option<u8> },
    /// The output.
    Output { ends_line: bool },
}

impl Default for Place {
    fn default() -> Self {
        Self::Fields {
            complete: 0,
            first: None,
        }
    }
}

impl LogDecoder {
    /// Decodes the next bytes of the file and hands the output on in pieces.
    pub(super) fn decode(&mut self, mut file: &[u8], mut output: impl FnMut(&[u8])) {
        while let Some((&byte, rest)) = file.split_first() {
            match self.place {
                Place::Fields { complete, first } => {
                    self.place = after_field_byte(complete, first, byte);
                    file = rest;
                }
                Place::Output { ends_line } => {
                    let end = file.iter().position(|byte| *byte == b'\n');
                    let (piece, rest) = file.split_at(end.unwrap_or(file.len()));
                    output(piece);
                    file = rest;
                    if let Some((_, next_line)) = rest.split_first() {
                        if ends_line {
                            output(b"\n");
                        }
                        self.place = Place::default();
                        file = next_line;
                    }
                }
            }
        }
    }

    /// Tells whether the next byte is the first of a line of the file.
    pub(super) fn is_at_line_start(&self) -> bool {
        matches!(
            self.place,
            Place::Fields {
                complete: 0,
                first: None
            }
        )
    }
}

fn after_field_byte(complete: u8, first: Option<u8>, byte: u8) -> Place {
    match byte {
        b' ' if complete == 2 => Place::Output {
            ends_line: first == Some(b'F'),
        },
        b' ' => Place::Fields {
            complete: complete + 1,
            first: None,
        },
        // A line without output does not occur; the next one is decoded correctly even so.
        b'\n' => Place::default(),
        _ => Place::Fields {
            complete,
            first: first.or(Some(byte)),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::LogDecoder;

    /// Writes what conmon would write for output that it read in these pieces.
    pub(super) fn encode(pieces: &[Vec<u8>]) -> Vec<u8> {
        let mut file = Vec::new();
        for piece in pieces {
            for line in piece.split_inclusive(|byte| *byte == b'\n') {
                let (text, tag) = match line.strip_suffix(b"\n") {
                    Some(text) => (text, 'F'),
                    None => (line, 'P'),
                };
                file.extend(format!("2026-11-16T13:47:44.161606024+00:00 stdout {tag} ").bytes());
                file.extend(text);
                file.push(b'\n');
            }
        }
        file
    }

    proptest! {
        #[test]
        fn output_is_put_together_exactly(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
            step in 1_usize..50,
        ) {
            let file = encode(&pieces);
            let mut decoder = LogDecoder::default();
            let mut output: Vec<u8> = Vec::new();
            for part in file.chunks(step) {
                decoder.decode(part, |piece| output.extend(piece));
            }
            prop_assert_eq!(output, pieces.concat());
            prop_assert!(decoder.is_at_line_start());
        }
    }
}
