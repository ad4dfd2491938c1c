//! The world: what is saved.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "world.txt";

/// What is saved: how often the server was started, and how often a player joined.
#[derive(Debug, Default)]
pub struct World {
    starts: u64,
    joins: u64,
}

impl World {
    /// Loads the world, or makes a new one, and counts the start.
    pub fn load(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let mut world = match fs::read_to_string(folder.join(FILE)) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(error),
        };
        world.starts += 1;
        world.save(folder)?;
        Ok(world)
    }

    /// Saves the world. A crash leaves the old file or the new one.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let next = folder.join("world.txt.next");
        let mut file = File::create(&next)?;
        writeln!(file, "starts {}\njoins {}", self.starts, self.joins)?;
        file.sync_all()?;
        fs::rename(next, folder.join(FILE))
    }

    /// How often the server was started with this world.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Counts a player who joined.
    pub fn count_join(&mut self) {
        self.joins += 1;
    }

    fn parse(text: &str) -> Self {
        let mut world = Self::default();
        for line in text.lines() {
            let number = |text: &str| text.trim().parse().unwrap_or(0);
            match line.split_once(' ') {
                Some(("starts", rest)) => world.starts = number(rest),
                Some(("joins", rest)) => world.joins = number(rest),
                _ => {}
            }
        }
        world
    }
}
