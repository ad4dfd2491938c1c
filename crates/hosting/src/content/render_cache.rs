//! Rendered articles on disk, so that a start renders only what is new.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use super::digest;
use super::markdown::RENDERER;

/// What an entry starts with.
const MAGIC: &[u8] = b"innkeeper rendered article 2\n";
/// Entries that nobody needs are kept until there are this many more than needed.
const SPARE: usize = 1000;

/// A rendered article, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) words: usize,
    /// See [`Content::pack`](super::article::Content::pack).
    pub(crate) content: Box<[u8]>,
    /// The words of the text as the search index has them: taking words apart and off their endings takes
    /// most of the time of indexing.
    pub(crate) search: String,
}

/// A folder of rendered articles. Whatever goes wrong with it costs time and nothing else.
#[derive(Debug, Default)]
pub(crate) struct RenderCache {
    folder: Option<PathBuf>,
    /// The entries that were asked for.
    used: Mutex<HashSet<String>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl RenderCache {
    /// A cache in a folder, which is made if need be. Without a folder nothing is kept.
    pub(crate) fn open(folder: Option<&Path>) -> Self {
        let folder = folder.and_then(|folder| match prepare(folder) {
            Ok(()) => Some(folder.to_owned()),
            Err(error) => {
                tracing::warn!(
                    folder = %folder.display(),
                    %error,
                    "rendered articles cannot be kept, so every start renders them again"
                );
                None
            }
        });
        Self {
            folder,
            ..Self::default()
        }
    }

    /// The name of what comes of a body.
    pub(crate) fn key(body: &str) -> String {
        digest::hex(&[&RENDERER.to_le_bytes(), body.as_bytes()])
    }

    /// How often something was found and not found.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (
            self.hits.load(Ordering::Relaxed),
            self.misses.load(Ordering::Relaxed),
        )
    }

    /// The entry, if it is there and whole.
    pub(crate) fn get(&self, key: &str) -> Option<Packed> {
        let path = self.path(key)?;
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.to_owned());
        let packed = fs::read(path).ok().and_then(|bytes| read(&bytes));
        let counter = if packed.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        packed
    }

    /// Keeps an entry. It appears in whole or not at all.
    pub(crate) fn put(&self, key: &str, packed: &Packed) {
        if let Some(path) = self.path(key)
            && let Err(error) = write(&path, packed)
        {
            tracing::debug!(%error, "a rendered article could not be kept");
        }
    }

    /// Deletes what was not asked for since the last call, once that is much.
    pub(crate) fn prune(&self) {
        let used = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(folder) = &self.folder else {
            return;
        };
        let entries: Vec<PathBuf> = shelves(folder).flat_map(|shelf| files(&shelf)).collect();
        if used.is_empty() || entries.len() <= 2 * used.len() + SPARE {
            return;
        }
        let is_used = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| used.contains(name))
        };
        for path in entries.iter().filter(|path| !is_used(path)) {
            // Another process may have been faster.
            let _ = fs::remove_file(path);
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        let place = key.get(..2)?;
        Some(self.folder.as_ref()?.join(place).join(key))
    }
}

fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Nobody wants this in a repository of articles.
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n")?;
    }
    Ok(())
}

fn shelves(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.file_name().is_some_and(|name| name.len() == 2))
}

fn files(shelf: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(shelf).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn read(bytes: &[u8]) -> Option<Packed> {
    let (hash, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(32)?;
    if digest::of(&[rest]).as_ref() != hash {
        return None;
    }
    let (words, rest) = number(rest)?;
    let (length, rest) = number(rest)?;
    let (content, search) = rest.split_at_checked(length)?;
    Some(Packed {
        words,
        content: content.into(),
        search: str::from_utf8(search).ok()?.to_owned(),
    })
}

/// A number and what comes after it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((usize::try_from(u64::from_le_bytes(*number)).ok()?, rest))
}

fn write(path: &Path, packed: &Packed) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("unfinished-{}-{number}", std::process::id()));
    let numbers = [packed.words, packed.content.len()].map(|number| (number as u64).to_le_bytes());
    let rest = [
        numbers.as_flattened(),
        &packed.content,
        packed.search.as_bytes(),
    ]
    .concat();
    let mut file = fs::File::create(&unfinished)?;
    file.write_all(MAGIC)?;
    file.write_all(digest::of(&[&rest]).as_ref())?;
    file.write_all(&rest)?;
    drop(file);
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::{Packed, RenderCache};

    fn packed(words: usize) -> Packed {
        Packed {
            words,
            content: Box::from(&b"content"[..]),
            search: "some word".to_owned(),
        }
    }

    #[test]
    fn what_was_kept_is_found_by_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let key = RenderCache::key("body");
        RenderCache::open(Some(folder.path())).put(&key, &packed(7));
        let next = RenderCache::open(Some(folder.path()));
        assert_eq!(next.get(&key), Some(packed(7)));
        assert_eq!(next.get(&RenderCache::key("other")), None);
        assert_eq!(next.counts(), (1, 1));
    }

    #[test]
    fn a_damaged_entry_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RenderCache::open(Some(folder.path()));
        let key = RenderCache::key("body");
        cache.put(&key, &packed(7));
        let path = folder.path().join(&key[..2]).join(&key);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.get(&key), None, "{length}");
        }
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        std::fs::write(&path, changed).unwrap();
        assert_eq!(cache.get(&key), None);
    }

    #[test]
    fn what_nobody_needs_any_more_goes_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RenderCache::open(Some(folder.path()));
        for number in 0..1_100 {
            cache.put(&RenderCache::key(&number.to_string()), &packed(1));
        }
        let kept = RenderCache::key("7");
        assert!(cache.get(&kept).is_some());
        cache.prune();
        assert!(cache.get(&kept).is_some());
        assert!(cache.get(&RenderCache::key("8")).is_none());
    }

    #[test]
    fn a_folder_that_cannot_be_used_only_costs_time() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = RenderCache::open(Some(&file.path().join("below")));
        let key = RenderCache::key("body");
        cache.put(&key, &packed(7));
        assert_eq!(cache.get(&key), None);
    }
}
