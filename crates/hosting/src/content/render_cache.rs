//! A cache of rendered articles on disk, so that a start renders only new ones.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use super::markdown::RENDERER;
use crate::base::digest;

/// The start of each entry.
const MAGIC: &[u8] = b"innkeeper rendered article 2\n";
/// Unused entries are deleted once there are this many more than twice the used ones.
const MAX_UNUSED: usize = 1000;

/// A rendered article as it is cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RenderedArticle {
    pub(crate) words: usize,
    /// See [`Content::pack`](super::article::Content::pack).
    pub(crate) content: Box<[u8]>,
    /// The stemmed words for the search index: tokenizing and stemming take most of the time of indexing.
    pub(crate) search: String,
}

/// A folder of rendered articles. If it cannot be used, articles are rendered again.
#[derive(Debug, Default)]
pub(crate) struct RenderCache {
    folder: Option<PathBuf>,
    /// The entries that were looked up since the last [`prune`](Self::prune).
    used: Mutex<HashSet<String>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl RenderCache {
    /// Opens a cache in a folder, which is created if necessary. Without a folder nothing is cached.
    pub(crate) fn open(folder: Option<&Path>) -> Self {
        let folder = folder.and_then(|folder| match prepare(folder) {
            Ok(()) => Some(folder.to_owned()),
            Err(error) => {
                tracing::warn!(
                    folder = %folder.display(),
                    %error,
                    "rendered articles cannot be cached; every start renders all articles again"
                );
                None
            }
        });
        Self {
            folder,
            ..Self::default()
        }
    }

    /// Returns the key of a body.
    pub(crate) fn key(body: &str) -> String {
        digest::hex(&[&RENDERER.to_le_bytes(), body.as_bytes()])
    }

    /// Returns the numbers of hits and misses.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (
            self.hits.load(Ordering::Relaxed),
            self.misses.load(Ordering::Relaxed),
        )
    }

    /// Returns an entry if it exists and is intact.
    pub(crate) fn get(&self, key: &str) -> Option<RenderedArticle> {
        let path = self.path(key)?;
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key.to_owned());
        let article = fs::read(path).ok().and_then(|bytes| read(&bytes));
        let counter = if article.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        article
    }

    /// Stores an entry, atomically.
    pub(crate) fn put(&self, key: &str, article: &RenderedArticle) {
        if let Some(path) = self.path(key)
            && let Err(error) = write(&path, article)
        {
            tracing::debug!(%error, "a rendered article could not be cached");
        }
    }

    /// Deletes the entries that were not looked up since the last call, if there are many.
    pub(crate) fn prune(&self) {
        let used = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(folder) = &self.folder else {
            return;
        };
        let entries: Vec<PathBuf> = subfolders(folder)
            .flat_map(|subfolder| files(&subfolder))
            .collect();
        if used.is_empty() || entries.len() <= 2 * used.len() + MAX_UNUSED {
            return;
        }
        let is_used = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| used.contains(name))
        };
        for path in entries.iter().filter(|path| !is_used(path)) {
            // Another process may have deleted it first.
            let _ = fs::remove_file(path);
        }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        let prefix = key.get(..2)?;
        Some(self.folder.as_ref()?.join(prefix).join(key))
    }
}

fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Keeps the cache out of the repository of the articles.
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        fs::write(ignore, "*\n")?;
    }
    Ok(())
}

fn subfolders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && path.file_name().is_some_and(|name| name.len() == 2))
}

fn files(subfolder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(subfolder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn read(bytes: &[u8]) -> Option<RenderedArticle> {
    let (hash, rest) = bytes.strip_prefix(MAGIC)?.split_at_checked(32)?;
    if digest::of(&[rest]).as_ref() != hash {
        return None;
    }
    let (words, rest) = number(rest)?;
    let (length, rest) = number(rest)?;
    let (content, search) = rest.split_at_checked(length)?;
    Some(RenderedArticle {
        words,
        content: content.into(),
        search: str::from_utf8(search).ok()?.to_owned(),
    })
}

/// Splits a number off the start of an entry.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((usize::try_from(u64::from_le_bytes(*number)).ok()?, rest))
}

fn write(path: &Path, article: &RenderedArticle) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("unfinished-{}-{number}", std::process::id()));
    let numbers =
        [article.words, article.content.len()].map(|number| (number as u64).to_le_bytes());
    let rest = [
        numbers.as_flattened(),
        &article.content,
        article.search.as_bytes(),
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
    use super::{RenderCache, RenderedArticle};

    fn article(words: usize) -> RenderedArticle {
        RenderedArticle {
            words,
            content: Box::from(&b"content"[..]),
            search: "some word".to_owned(),
        }
    }

    #[test]
    fn what_was_kept_is_found_by_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let key = RenderCache::key("body");
        RenderCache::open(Some(folder.path())).put(&key, &article(7));
        let next = RenderCache::open(Some(folder.path()));
        assert_eq!(next.get(&key), Some(article(7)));
        assert_eq!(next.get(&RenderCache::key("other")), None);
        assert_eq!(next.counts(), (1, 1));
    }

    #[test]
    fn a_damaged_entry_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = RenderCache::open(Some(folder.path()));
        let key = RenderCache::key("body");
        cache.put(&key, &article(7));
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
            cache.put(&RenderCache::key(&number.to_string()), &article(1));
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
        cache.put(&key, &article(7));
        assert_eq!(cache.get(&key), None);
    }
}
