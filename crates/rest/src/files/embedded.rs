//! Files that are part of the program.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use bytes::Bytes;

use super::disk::Loaded;
use super::{Content, Item, Lookup};
use crate::coding::{Coding, negotiate};
use crate::conditional::ETag;
use crate::head::Head;

/// Files by their paths, with everything computed that can be.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    files: HashMap<String, File>,
    directories: HashSet<String>,
}

#[derive(Debug)]
struct File {
    plain: Version,
    variants: Vec<(Coding, Version)>,
}

#[derive(Debug, Clone)]
struct Version {
    bytes: Bytes,
    etag: ETag,
    modified: Option<SystemTime>,
}

impl Version {
    fn new(bytes: Bytes, modified: Option<SystemTime>) -> Self {
        let etag = ETag::of(&bytes);
        Self {
            bytes,
            etag,
            modified,
        }
    }
}

/// What a compressed variant of a file is called.
pub(super) fn variant_name(path: &str, coding: Coding) -> String {
    let extension = match coding {
        Coding::Brotli => "br",
        Coding::Gzip => "gz",
    };
    format!("{path}.{extension}")
}

impl Embedded {
    /// The files, or what is wrong with their paths.
    pub(super) fn new(entries: impl Iterator<Item = Loaded>) -> (Self, Vec<String>) {
        let mut all = Self::default();
        let mut problems = Vec::new();
        all.directories.insert(String::new());
        for (name, bytes, modified) in entries {
            let path = name.trim_start_matches('/').to_owned();
            if path.is_empty() || path.split('/').any(|part| ["", ".", ".."].contains(&part)) {
                problems.push(format!("`{name}` is no path of an embedded file"));
                continue;
            }
            let ancestors = path
                .match_indices('/')
                .filter_map(|(end, _)| path.get(..end));
            all.directories.extend(ancestors.map(str::to_owned));
            let file = File {
                plain: Version::new(bytes, modified),
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
        for (path, coding, version) in found {
            if let Some(file) = self.files.get_mut(&path) {
                file.variants.push((coding, version));
            }
        }
    }

    /// What is at a path, in the coding that the client wants.
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
            negotiate(head, &offered)
        } else {
            None
        };
        let variant = file.variants.iter().find(|(one, _)| Some(*one) == coding);
        let version = variant.map_or(&file.plain, |(_, version)| version);
        Lookup::File(Item {
            etag: version.etag.clone(),
            modified: version.modified,
            content: Content::Bytes(version.bytes.clone()),
            coding,
            varies,
        })
    }
}
