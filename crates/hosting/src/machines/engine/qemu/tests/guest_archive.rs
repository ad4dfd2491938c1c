//! The first file system of a Linux guest: a cpio archive in the format `newc`.

/// What the kernel takes a file for.
const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

/// An archive that is being written.
#[derive(Default)]
pub(super) struct GuestArchive {
    bytes: Vec<u8>,
    files: u32,
}

impl GuestArchive {
    pub(super) fn folder(&mut self, name: &str) {
        self.entry(name, FOLDER, &[]);
    }

    pub(super) fn program(&mut self, name: &str, content: &[u8]) {
        self.entry(name, PROGRAM, content);
    }

    /// Ends the archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.files += 1;
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap();
        let name = [name.as_bytes(), &[0]].concat();
        let header = [
            self.files, // inode
            mode,
            0, // user
            0, // group
            1, // links
            0, // time of the last change
            length(content),
            0, // device, two numbers
            0,
            0, // device of a device file, two numbers
            0,
            length(&name),
            0, // check sum
        ];
        self.bytes.extend_from_slice(b"070701");
        for number in header {
            self.bytes.extend(format!("{number:08x}").into_bytes());
        }
        for part in [&*name, content] {
            self.bytes.extend_from_slice(part);
            let aligned = self.bytes.len().next_multiple_of(4);
            self.bytes.resize(aligned, 0);
        }
    }
}
