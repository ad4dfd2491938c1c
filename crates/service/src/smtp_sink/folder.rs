//! Mails on disk, one `.eml` file each, which mail programs can open.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::mail::Mail;

/// The headers of the envelope, which precede those of the mail.
const FROM: &str = "X-Envelope-From";
const TO: &str = "X-Envelope-To";

/// A folder of mails.
#[derive(Debug, Clone)]
pub(super) struct MailFolder(PathBuf);

impl MailFolder {
    /// Creates the folder if it is missing. Only its owner can read it, because mails hold codes and
    /// links that give access to accounts.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Reads the newest mails, oldest first. Files with other names are ignored.
    pub(super) fn read(&self, limit: usize) -> io::Result<Vec<Mail>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            numbers.extend(number(&entry?.file_name().to_string_lossy()));
        }
        numbers.sort_unstable();
        let first = numbers.len().saturating_sub(limit);
        let newest = numbers.into_iter().skip(first);
        newest
            .map(|number| {
                let raw = fs::read(self.path(number))?;
                Ok(mail(number, &String::from_utf8_lossy(&raw)))
            })
            .collect()
    }

    /// Writes a mail atomically; once this returns, the mail survives a power failure.
    pub(super) fn write(&self, mail: &Mail) -> io::Result<()> {
        let path = self.path(mail.number);
        let part = path.with_extension("part");
        let mut file = fs::File::create(&part)?;
        write!(file, "{FROM}: {}\r\n", mail.sender)?;
        for recipient in &mail.recipients {
            write!(file, "{TO}: {recipient}\r\n")?;
        }
        file.write_all(mail.source.as_bytes())?;
        file.sync_all()?;
        fs::rename(part, path)?;
        fs::File::open(&self.0)?.sync_all()
    }

    /// Deletes a mail if it exists.
    pub(super) fn remove(&self, number: u64) -> io::Result<()> {
        match fs::remove_file(self.path(number)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.0.join(format!("{number:08}.eml"))
    }
}

/// Returns the message that follows the headers of the envelope.
fn without_envelope(raw: &str) -> &str {
    let mut rest = raw;
    while rest.starts_with(FROM) || rest.starts_with(TO) {
        rest = rest.split_once("\r\n").map_or("", |(_, rest)| rest);
    }
    rest
}

fn number(name: &str) -> Option<u64> {
    name.strip_suffix(".eml")?.parse().ok()
}

fn mail(number: u64, raw: &str) -> Mail {
    let mut mail = Mail::parse(raw);
    mail.number = number;
    without_envelope(raw).clone_into(&mut mail.source);
    // Only the headers at the start: the mail itself may have headers with these names.
    let is_envelope = |(name, _): &(String, String)| name == FROM || name == TO;
    let end = mail.headers.iter().position(|header| !is_envelope(header));
    let headers = mail.headers.split_off(end.unwrap_or(mail.headers.len()));
    for (name, value) in std::mem::replace(&mut mail.headers, headers) {
        if name == FROM {
            mail.sender = value;
        } else {
            mail.recipients.push(value);
        }
    }
    mail
}
