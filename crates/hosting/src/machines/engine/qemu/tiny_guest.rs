//! A guest of one boot sector, for the demo and for tests.
//!
//! It says hello on the serial port, waits for the power button and powers off. It starts in a fraction of a
//! second even where every instruction is emulated.
//!
//! The registers are those of the emulated `pc` machine, where the firmware puts the power management at
//! 0x600: the status register at 0x600, the enable register at 0x602 and the control register at 0x604. In the
//! first two, bit 8 is the power button, which the emulator reports only to a guest that has enabled it.

use std::io;
use std::path::Path;

/// The name of the image of the demo.
pub const DEMO_IMAGE: &str = "demo";

/// The size of a sector, and of the guest.
const SECTOR: usize = 512;
/// The size of the image: a disk that holds the sector.
const IMAGE_BYTES: u64 = 1024 * 1024;
/// Where the two texts are in the sector, which is loaded at 0x7c00.
const HELLO_AT: usize = 0x100;
const GOODBYE_AT: usize = 0x180;

/// What a guest does after it has said hello.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TinyGuest {
    /// Powers off when the power button is pressed.
    Obedient,
    /// Ignores the power button.
    #[cfg(test)]
    Deaf,
    /// Powers off by itself after about a second.
    #[cfg(test)]
    PowersOff,
    /// Reports a panic after about a second.
    #[cfg(test)]
    Panics,
}

/// Sets up the segments and the stack, and prints the first text.
const BEGIN: &[u8] = &[
    0xfa, //               cli
    0xfc, //               cld
    0x31, 0xc0, //         xor ax, ax
    0x8e, 0xd8, //         mov ds, ax
    0x8e, 0xd0, //         mov ss, ax
    0xbc, 0x00, 0x7c, //   mov sp, 0x7c00
    0xfb, //               sti
    0xbe, 0x00, 0x7d, //   mov si, hello      (0x7c00 + HELLO_AT)
    0xe8, 0x02, 0x00, //   call print         (over the next jump)
    0xeb, 0x18, //         jmp rest           (over the subroutine)
];

/// The subroutine that prints the text at `si` up to its zero byte.
const PRINT: &[u8] = &[
    0xac, //               print: lodsb
    0x84, 0xc0, //         test al, al
    0x74, 0x12, //         jz done
    0x88, 0xc4, //         mov ah, al
    0xba, 0xfd, 0x03, //   mov dx, 0x3fd      (line status of the serial port)
    0xec, //               poll: in al, dx
    0xa8, 0x20, //         test al, 0x20      (ready for a byte)
    0x74, 0xfb, //         jz poll
    0x88, 0xe0, //         mov al, ah
    0xba, 0xf8, 0x03, //   mov dx, 0x3f8      (data of the serial port)
    0xee, //               out dx, al
    0xeb, 0xe9, //         jmp print
    0xc3, //               done: ret
];

/// Waits for the power button.
const AWAIT_BUTTON: &[u8] = &[
    0xba, 0x02, 0x06, //   mov dx, 0x602
    0xb8, 0x00, 0x01, //   mov ax, 0x100
    0xef, //               out dx, ax         (enable the button)
    0xf4, //               wait: hlt          (until the next timer interrupt)
    0xba, 0x00, 0x06, //   mov dx, 0x600
    0xed, //               in ax, dx
    0xf6, 0xc4, 0x01, //   test ah, 1
    0x74, 0xf6, //         jz wait
];

/// Prints the second text and powers off: sleep type 0, and the bit that makes it sleep.
const POWER_OFF: &[u8] = &[
    0xbe, 0x80, 0x7d, //   mov si, goodbye    (0x7c00 + GOODBYE_AT)
    0xe8, 0x00, 0x00, //   call print         (the distance is filled in)
    0xba, 0x04, 0x06, //   mov dx, 0x604
    0xb8, 0x00, 0x20, //   mov ax, 0x2000
    0xef, //               out dx, ax
];

/// Sleeps for ever.
const SLEEP: &[u8] = &[
    0xf4, //               sleep: hlt
    0xeb, 0xfd, //         jmp sleep
];

/// Waits for 18 timer interrupts, about a second.
#[cfg(test)]
const AWAIT_SECOND: &[u8] = &[
    0xb9, 0x12, 0x00, //   mov cx, 18
    0xf4, //               wait: hlt
    0xe2, 0xfd, //         loop wait
];

/// Tells the emulator that the guest has panicked.
#[cfg(test)]
const PANIC: &[u8] = &[
    0xba, 0x05, 0x05, //   mov dx, 0x505
    0xb0, 0x01, //         mov al, 1
    0xee, //               out dx, al
];

impl TinyGuest {
    /// Returns the boot sector.
    pub(crate) fn boot_sector(self) -> Vec<u8> {
        let mut sector = [BEGIN, PRINT].concat();
        let print_at = BEGIN.len();
        for part in self.parts() {
            let start = sector.len();
            sector.extend_from_slice(part);
            if *part == POWER_OFF {
                // The call ends 6 bytes after the part begins; its distance goes backwards.
                let distance = (print_at.wrapping_sub(start + 6)).to_le_bytes();
                for (byte, value) in sector.iter_mut().skip(start + 4).zip(distance).take(2) {
                    *byte = value;
                }
            }
        }
        place(&mut sector, HELLO_AT, b"Hello from the tiny guest.\r\n");
        place(&mut sector, GOODBYE_AT, b"The tiny guest powers off.\r\n");
        // The mark of a boot sector.
        place(&mut sector, SECTOR - 2, &[0x55, 0xaa]);
        sector
    }

    /// Returns what follows the greeting.
    fn parts(self) -> &'static [&'static [u8]] {
        match self {
            Self::Obedient => &[AWAIT_BUTTON, POWER_OFF, SLEEP],
            #[cfg(test)]
            Self::Deaf => &[SLEEP],
            #[cfg(test)]
            Self::PowersOff => &[AWAIT_SECOND, POWER_OFF, SLEEP],
            #[cfg(test)]
            Self::Panics => &[AWAIT_SECOND, PANIC, SLEEP],
        }
    }

    /// Writes a raw image of a disk that starts with this guest.
    pub(crate) fn write_image(self, path: &Path) -> io::Result<()> {
        // An image exists whole or not at all.
        let new = path.with_extension("new");
        std::fs::write(&new, self.boot_sector())?;
        let file = std::fs::OpenOptions::new().write(true).open(&new)?;
        file.set_len(IMAGE_BYTES)?;
        std::fs::rename(new, path)
    }
}

/// Puts bytes at an offset, after zeros.
fn place(sector: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    sector.resize(offset, 0);
    sector.extend_from_slice(bytes);
}

/// Writes the image of the demo into the folder of images, if it is not there.
pub fn write_demo_image(images_dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(images_dir)?;
    let path = images_dir.join(format!("{DEMO_IMAGE}.raw"));
    if path.exists() {
        return Ok(());
    }
    TinyGuest::Obedient.write_image(&path)
}
