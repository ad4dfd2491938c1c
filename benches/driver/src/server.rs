//! The compared servers.

use std::fmt;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::Places;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    Innkeeper,
    Hyper,
    Axum,
    Actix,
    /// Innkeeper's static files, from the disk.
    #[value(skip)]
    Files,
    /// Innkeeper's static files, from memory.
    #[value(skip)]
    Loaded,
    #[value(skip)]
    ActixFiles,
    #[value(skip)]
    Nginx,
}

impl Server {
    pub(crate) const ALL: [Self; 4] = [Self::Innkeeper, Self::Hyper, Self::Axum, Self::Actix];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Innkeeper => "innkeeper",
            Self::Hyper => "hyper",
            Self::Axum => "axum",
            Self::Actix => "actix",
            Self::Files => "files",
            Self::Loaded => "loaded",
            Self::ActixFiles => "files-actix",
            Self::Nginx => "nginx",
        }
    }

    pub(crate) fn binary(self, places: &Places) -> PathBuf {
        match self {
            Self::Loaded => Self::Files.binary(places),
            Self::Nginx => places.nginx(),
            _ => places.binaries.join(format!("bench-{}", self.name())),
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
