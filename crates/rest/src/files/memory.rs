//! Files in memory: embedded in the program, or loaded from a directory.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use bytes::Bytes;

use super::lookup::{FileContent, FileVariant, LoadedFile, Lookup, variant_name};
use crate::coding::Coding;
use crate::conditional::ETag;
use crate::head::Head;

/// Files by their paths, with their entity tags and variants.
#[derive(Debug, Default)]
pub(super) struct MemoryStore {
    files: HashMap<String, MemoryFile>,
    directories: HashSet<String>,
}

#[derive(Debug)]
struct MemoryFile {
    plain: Representation,
    variants: Vec<(Coding, Representation)>,
}

#[derive(Debug, Clone)]
struct Representation {
    bytes: Bytes,
    etag: ETag,
    modified: Option<SystemTime>,
}

impl Representation {
    fn new(bytes: Bytes, modified: Option<SystemTime>) -> Self {
        let etag = ETag::of(&bytes);
        Self {
            bytes,
            etag,
            modified,
        }
    }
}

impl MemoryStore {
    /// Makes a store, and lists the problems with the paths.
    pub(super) fn new(loaded: impl Iterator<Item = LoadedFile>) -> (Self, Vec<String>) {
        let mut all = Self::default();
        let mut problems = Vec::new();
        all.directories.insert(String::new());
        for file in loaded {
            let name = file.path;
            let path = name.trim_start_matches('/').to_owned();
            if path.is_empty() || path.split('/').any(|part| ["", ".", ".."].contains(&part)) {
                problems.push(format!("`{name}` is not a path for an embedded file"));
                continue;
            }
            let ancestors = path
                .match_indices('/')
                .filter_map(|(end, _)| path.get(..end));
            all.directories.extend(ancestors.map(str::to_owned));
            let file = MemoryFile {
                plain: Representation::new(file.bytes, file.modified),
                variants: Vec::new(),
            };
            if all.files.insert(path, file).is_some() {
                problems.push(format!("`{name}` is embedded twice"));
            }
        }
        all.find_variants();
        (all, problems)
    }

    fn find_variants(&mut self) {
        let mut found = Vec::new();
        for path in self.files.keys() {
            for coding in Coding::ALL {
                if let Some(variant) = self.files.get(&variant_name(path, coding)) {
                    found.push((path.clone(), coding, variant.plain.clone()));
                }
            }
        }
        for (path, coding, representation) in found {
            if let Some(file) = self.files.get_mut(&path) {
                file.variants.push((coding, representation));
            }
        }
    }

    /// Looks up a path, and the variant that the client prefers.
    pub(super) fn find(&self, path: &str, head: &Head) -> Lookup {
        let Some(file) = self.files.get(path) else {
            return if self.directories.contains(path) {
                Lookup::Directory
            } else {
                Lookup::Missing
            };
        };
        let varies = !file.variants.is_empty();
        let coding = if varies {
            let offered: Vec<Coding> = file.variants.iter().map(|(coding, _)| *coding).collect();
            Coding::negotiate(head, &offered)
        } else {
            None
        };
        let variant = file.variants.iter().find(|(one, _)| Some(*one) == coding);
        let chosen = variant.map_or(&file.plain, |(_, representation)| representation);
        Lookup::File(FileVariant {
            etag: chosen.etag.clone(),
            modified: chosen.modified,
            content: FileContent::Bytes(chosen.bytes.clone()),
            coding,
            varies,
        })
    }
}
