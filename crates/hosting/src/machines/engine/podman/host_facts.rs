//! What the host has of what containers need.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::getuid;

use super::tools;

/// Where control groups are mounted.
const CGROUPS: &str = "/sys/fs/cgroup";
/// The controllers that limits need.
const CONTROLLERS: &[&str] = &["cpu", "memory", "pids"];

/// Programs that containers need, and their Debian packages.
const PROGRAMS: &[(&str, &str)] = &[
    ("podman", "podman"),
    ("conmon", "conmon"),
    ("netavark", "netavark"),
    ("iptables-restore", "iptables"),
];
/// Programs that the containers of a normal user need.
const USER_PROGRAMS: &[(&str, &str)] = &[("newuidmap", "uidmap"), ("slirp4netns", "slirp4netns")];
/// Programs that start containers, of which one is enough.
const RUNTIMES: &[&str] = &["crun", "runc"];

/// What the host has.
#[derive(Debug, Clone)]
pub(super) struct HostFacts {
    programs: BTreeMap<&'static str, PathBuf>,
    /// Whether the first process is systemd, so that it can make control groups.
    has_systemd: bool,
    /// Whether control groups are those of version 2, alone.
    has_cgroup_v2: bool,
    /// What a normal user may do; `None` for root.
    user: Option<UserFacts>,
}

/// What a normal user may do.
#[derive(Debug, Clone, Default)]
struct UserFacts {
    /// Whether `/etc/subuid` and `/etc/subgid` give the user a range.
    has_id_range: bool,
    has_runtime_dir: bool,
    /// Controllers of control groups that are needed and cannot be used.
    withheld_controllers: Vec<&'static str>,
}

impl HostFacts {
    /// Looks at the host.
    pub(super) fn read() -> Self {
        let names = PROGRAMS.iter().chain(USER_PROGRAMS).map(|(name, _)| *name);
        let names = names.chain(RUNTIMES.iter().copied());
        Self {
            programs: names
                .filter_map(|name| Some((name, tools::find_helper(name)?)))
                .collect(),
            has_systemd: Path::new("/run/systemd/system").is_dir(),
            has_cgroup_v2: Path::new(CGROUPS).join("cgroup.controllers").exists(),
            user: (!getuid().is_root()).then(UserFacts::read),
        }
    }

    /// Returns a program, by its name.
    pub(super) fn program(&self, name: &str) -> Option<&PathBuf> {
        self.programs.get(name)
    }

    /// Tells whether we are root.
    pub(super) fn is_root(&self) -> bool {
        self.user.is_none()
    }

    /// Returns what is missing, one sentence each.
    pub(super) fn missing(&self) -> Vec<String> {
        let user_programs: &[_] = if self.is_root() { &[] } else { USER_PROGRAMS };
        let mut missing: Vec<String> = PROGRAMS
            .iter()
            .chain(user_programs)
            .filter(|(name, _)| !self.programs.contains_key(name))
            .map(|(name, package)| format!("{name} is not installed (Debian package: {package})"))
            .collect();
        if self.runtimes().next().is_none() {
            missing.push("neither crun nor runc is installed (Debian package: runc)".to_owned());
        }
        if let Some(user) = &self.user {
            missing.extend(user.missing(self.has_cgroup_v2));
        }
        missing
    }

    /// Returns pairs of a runtime and a manager of control groups, the most likely first. With version 2,
    /// crun is the usual runtime; it refuses hosts that have both versions.
    pub(super) fn candidates(&self) -> Vec<(&'static str, &'static str)> {
        let mut runtimes: Vec<&str> = self.runtimes().collect();
        if !self.has_cgroup_v2 {
            runtimes.reverse();
        }
        let managers: &[_] = if self.has_systemd {
            &["systemd", "cgroupfs"]
        } else {
            &["cgroupfs"]
        };
        let pairs = managers.iter().flat_map(|manager| {
            let runtimes = runtimes.iter();
            runtimes.map(move |runtime| (*runtime, *manager))
        });
        pairs.collect()
    }

    fn runtimes(&self) -> impl Iterator<Item = &'static str> {
        let names = RUNTIMES.iter().copied();
        names.filter(|name| self.programs.contains_key(name))
    }
}

impl UserFacts {
    fn read() -> Self {
        let runtime_dir = std::env::var_os("XDG_RUNTIME_DIR");
        Self {
            has_id_range: has_user_range("/etc/subuid") && has_user_range("/etc/subgid"),
            has_runtime_dir: runtime_dir.is_some_and(|folder| Path::new(&folder).is_dir()),
            withheld_controllers: withheld_controllers(),
        }
    }

    fn missing(&self, has_cgroup_v2: bool) -> Vec<String> {
        let mut missing = Vec::new();
        if !self.has_id_range {
            missing.push(
                "/etc/subuid and /etc/subgid give this user no range of ids (see man subuid)"
                    .to_owned(),
            );
        }
        if !self.has_runtime_dir {
            missing.push(
                "XDG_RUNTIME_DIR is not set to a folder (log in, or use `loginctl enable-linger`)"
                    .to_owned(),
            );
        }
        if !has_cgroup_v2 {
            missing.push(
                "limits for the containers of a normal user need control groups of version 2 alone; \
                 run as root, or boot with systemd.unified_cgroup_hierarchy=1"
                    .to_owned(),
            );
        } else if !self.withheld_controllers.is_empty() {
            missing.push(format!(
                "this user may not use the control groups {} (systemd: Delegate=yes)",
                self.withheld_controllers.join(", ")
            ));
        }
        missing
    }
}

/// Returns the controllers of version 2 that our own control group does not have.
fn withheld_controllers() -> Vec<&'static str> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = own
        .lines()
        .find_map(|line| line.strip_prefix("0::/"))
        .unwrap_or_default();
    let path = Path::new(CGROUPS).join(own).join("cgroup.controllers");
    let available = fs::read_to_string(path).unwrap_or_default();
    let available: Vec<&str> = available.split_whitespace().collect();
    let wanted = CONTROLLERS.iter().copied();
    wanted.filter(|name| !available.contains(name)).collect()
}

/// Tells whether a file gives a range of ids to our user, by number or by name.
fn has_user_range(path: &str) -> bool {
    let number = getuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then_some(name)
    });
    let ranges = fs::read_to_string(path).unwrap_or_default();
    ranges
        .lines()
        .filter_map(|line| line.split(':').next())
        .any(|owner| owner == number || Some(owner) == name)
}

#[cfg(test)]
mod tests {
    use super::{HostFacts, PROGRAMS, RUNTIMES, USER_PROGRAMS, UserFacts};

    fn complete() -> HostFacts {
        let names = PROGRAMS.iter().chain(USER_PROGRAMS).map(|(name, _)| *name);
        let names = names.chain(RUNTIMES.iter().copied());
        HostFacts {
            programs: names
                .map(|name| (name, format!("/usr/bin/{name}").into()))
                .collect(),
            has_systemd: true,
            has_cgroup_v2: true,
            user: Some(UserFacts {
                has_id_range: true,
                has_runtime_dir: true,
                withheld_controllers: Vec::new(),
            }),
        }
    }

    #[test]
    fn nothing_is_missing_on_a_complete_host() {
        assert_eq!(complete().missing(), Vec::<String>::new());
    }

    #[test]
    fn everything_that_is_missing_is_named_at_once() {
        let mut facts = complete();
        for name in ["podman", "crun", "runc", "newuidmap"] {
            facts.programs.remove(name);
        }
        let user = facts.user.as_mut().unwrap();
        user.withheld_controllers = vec!["memory", "pids"];
        user.has_runtime_dir = false;
        let missing = facts.missing().join("\n");
        for word in [
            "podman",
            "runc",
            "uidmap",
            "memory, pids",
            "XDG_RUNTIME_DIR",
        ] {
            assert!(missing.contains(word), "{word} is not in {missing}");
        }
        assert_eq!(facts.missing().len(), 5, "{missing}");
    }

    #[test]
    fn root_needs_neither_a_range_of_ids_nor_delegation() {
        let mut facts = HostFacts {
            has_cgroup_v2: false,
            user: Some(UserFacts::default()),
            ..complete()
        };
        for (name, _) in USER_PROGRAMS {
            facts.programs.remove(name);
        }
        assert_eq!(facts.missing().len(), 5);
        facts.user = None;
        assert_eq!(facts.missing(), Vec::<String>::new());
    }

    #[test]
    fn runc_is_tried_first_on_hosts_with_old_control_groups() {
        let facts = HostFacts {
            has_cgroup_v2: false,
            has_systemd: false,
            ..complete()
        };
        assert_eq!(
            facts.candidates(),
            [("runc", "cgroupfs"), ("crun", "cgroupfs")]
        );
        assert_eq!(complete().candidates().first(), Some(&("crun", "systemd")));
    }
}
