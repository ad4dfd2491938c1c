//! Mounts of network namespaces, which a process of Podman in another mount namespace must see.
//!
//! A container with users of its own has a mount namespace, and Podman tidies up there after the container. Unless the
//! folder of network namespaces is a shared mount, it does not find the network of the container: its ports stay
//! redirected to an address where nothing is, and those of the next run do not work. systemd shares all mounts; hosts
//! without it do not.

use std::fs;
use std::io;
use std::path::Path;

use rustix::mount::{MountPropagationFlags, mount_bind_recursive, mount_change};

/// Where Podman mounts network namespaces.
const FOLDER: &str = "/run/netns";

/// Shares the folder with mount namespaces that are made later, unless it is shared. Needs root.
pub(super) fn share() -> io::Result<()> {
    let folder = Path::new(FOLDER);
    if is_shared(&fs::read_to_string("/proc/self/mountinfo")?, folder) {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    mount_bind_recursive(folder, folder)?;
    mount_change(folder, MountPropagationFlags::SHARED)?;
    Ok(())
}

/// Tells from the list of mounts whether new mounts in a folder are seen by others.
fn is_shared(mounts: &str, folder: &Path) -> bool {
    let mounts = mounts.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let point = Path::new(*fields.get(4)?);
        let tags = fields.iter().skip(6).take_while(|field| **field != "-");
        let is_shared = tags.into_iter().any(|tag| tag.starts_with("shared:"));
        let depth = folder
            .starts_with(point)
            .then(|| point.components().count())?;
        Some((depth, is_shared))
    });
    // Of two mounts at the same place, the later one covers the other.
    let covering = mounts.max_by_key(|(depth, _)| *depth);
    covering.is_some_and(|(_, is_shared)| is_shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_decides() {
        let shared = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n";
        let private = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
        let run = "23 22 0:21 / /run rw,nosuid - tmpfs tmpfs rw\n";
        let own = "24 23 0:21 /netns /run/netns rw shared:7 master:1 - tmpfs tmpfs rw\n";
        let covered = "25 24 0:21 /netns /run/netns rw master:7 - tmpfs shared:7 rw\n";
        let other = "26 22 0:22 / /run/netns2 rw shared:8 - tmpfs tmpfs rw\n";
        for (mounts, expected) in [
            (String::new(), false),
            (private.to_owned(), false),
            (shared.to_owned(), true),
            ([shared, run].concat(), false),
            ([private, run, own].concat(), true),
            ([shared, run, own, covered].concat(), false),
            ([own, private, run].concat(), true),
            ([private, other].concat(), false),
        ] {
            assert_eq!(is_shared(&mounts, Path::new(FOLDER)), expected, "{mounts}");
        }
    }
}
