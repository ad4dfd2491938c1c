//! `innkeeper logs`: shows the log of `innkeeper up`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use crate::{task, up};

pub(crate) const EXAMPLES: &str = "\
Examples:
  innkeeper logs
  innkeeper logs --follow
  innkeeper logs --lines 1000 | grep WARN";

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// How many bytes are read at once.
const BLOCK: usize = 64 * 1024;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Go on with new lines until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// How many of the last lines to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    lines: usize,
    /// The data folder of `innkeeper up`
    #[arg(long, value_name = "DIR", default_value = up::DATA_DIR)]
    data_dir: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let path = log_file(&arguments.data_dir);
    let showing = show(&path, arguments.lines, arguments.follow);
    match task::runtime()?.block_on(showing) {
        // A closed pipe, as in `innkeeper logs | head -1`, is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(anyhow!(
            "there is no log at {}; start `innkeeper up`, or name its folder with --data-dir",
            path.display()
        )),
        shown => shown.map_err(|error| anyhow!("the log {}: {error}", path.display())),
    }
}

/// Returns the path of the log of the `innkeeper up` that runs, or ran last.
fn log_file(folder: &Path) -> PathBuf {
    let up = up::find_running(folder);
    let path = up.and_then(|up| up.optional_text("log_file").map(PathBuf::from));
    path.unwrap_or_else(|| folder.join("innkeeper.log"))
}

async fn show(path: &Path, lines: usize, follow: bool) -> io::Result<()> {
    let mut log = OpenLog::open(path)?;
    log.skip_to_last(lines)?;
    log.print_rest()?;
    if !follow {
        return Ok(());
    }
    loop {
        tokio::time::sleep(INTERVAL).await;
        log.print_rest()?;
        log.follow_rotation(path)?;
    }
}

/// A log file, read up to a position.
struct OpenLog(File);

impl OpenLog {
    fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// Moves to the beginning of the last lines.
    fn skip_to_last(&mut self, lines: usize) -> io::Result<()> {
        let mut end = self.0.seek(SeekFrom::End(0))?;
        let mut block = vec![0; BLOCK];
        let mut found = 0;
        while end > 0 {
            let start = end.saturating_sub(BLOCK as u64);
            self.0.seek(SeekFrom::Start(start))?;
            let length = usize::try_from(end - start).unwrap_or(BLOCK);
            let part = block.get_mut(..length).unwrap_or_default();
            self.0.read_exact(part)?;
            for (index, _) in part
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, byte)| **byte == b'\n')
            {
                // The line break of the last line comes first.
                found += 1;
                if found > lines {
                    let begin = start + index as u64 + 1;
                    return self.0.seek(SeekFrom::Start(begin)).map(drop);
                }
            }
            end = start;
        }
        self.0.seek(SeekFrom::Start(0)).map(drop)
    }

    fn print_rest(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        io::copy(&mut self.0, &mut out)?;
        out.flush()
    }

    /// Opens the file again if it was replaced, and begins again if it was emptied.
    fn follow_rotation(&mut self, path: &Path) -> io::Result<()> {
        let ours = self.0.metadata()?;
        if ours.len() < self.0.stream_position()? {
            self.0.seek(SeekFrom::Start(0))?;
        }
        match path.metadata() {
            Ok(current) if (current.dev(), current.ino()) != (ours.dev(), ours.ino()) => {
                // Lines may have come since the last look.
                self.print_rest()?;
                *self = Self::open(path)?;
                Ok(())
            }
            Ok(_) => Ok(()),
            // It comes back with the next start.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::{BLOCK, OpenLog};

    #[test]
    fn the_last_lines_are_found_however_long_the_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let last = |text: &str, lines: usize| {
            fs::write(&path, text).unwrap();
            let mut log = OpenLog::open(&path).unwrap();
            log.skip_to_last(lines).unwrap();
            let mut rest = String::new();
            log.0.read_to_string(&mut rest).unwrap();
            rest
        };
        assert_eq!(last("", 2), "");
        assert_eq!(last("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(last("a\nb\nc\n", 0), "");
        assert_eq!(last("a\nb\nc\n", 3), "a\nb\nc\n");
        assert_eq!(last("a\n", 9), "a\n");
        let long = format!("first\n{}\n{}\n", "x".repeat(BLOCK), "y".repeat(BLOCK));
        assert_eq!(last(&long, 2), long[6..]);
        assert_eq!(last(&long, 3), long);
    }
}
