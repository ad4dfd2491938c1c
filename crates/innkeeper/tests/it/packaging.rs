//! The files that `make install` and `make deb` install.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;
use tokio::process::Command;

use crate::support::{answer, text};

/// The units, each with the threshold of systemd's exposure score, from 0 (fully sandboxed) to 100. The
/// server with machines is root, because it starts emulators as other users.
const UNITS: [(&str, &str); 3] = [
    ("innkeeper-auth.service", "--threshold=20"),
    ("innkeeper-hosting.service", "--threshold=20"),
    ("innkeeper-machines.service", "--threshold=55"),
];

fn script(name: &str) -> Command {
    let mut command = Command::new(repository().join("scripts").join(name));
    command.env("BINARY", env!("CARGO_BIN_EXE_innkeeper"));
    command
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

async fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .output()
        .await
        .unwrap()
}

/// Builds and unpacks the Debian package of the binary under test.
async fn unpacked() -> TempDir {
    let made = tempfile::tempdir().unwrap();
    let package = answer(
        script("deb")
            .env("CARGO_TARGET_DIR", made.path())
            .env("COMPRESSION", "none"),
    )
    .await;
    let root = tempfile::tempdir().unwrap();
    let root_path = root.path().to_str().unwrap();
    answer(Command::new("dpkg-deb").args(["-x", package.trim(), root_path])).await;
    answer(Command::new("dpkg-deb").args(["-e", package.trim(), &format!("{root_path}/DEBIAN")]))
        .await;
    root
}

#[tokio::test]
async fn the_debian_package_holds_a_binary_that_runs_and_all_that_belongs_to_it() {
    let root = unpacked().await;
    let usr = root.path().join("usr");

    let binary = usr.join("bin/innkeeper");
    let said = answer(Command::new(&binary).arg("--version")).await;
    assert!(
        said.starts_with(concat!("innkeeper ", env!("CARGO_PKG_VERSION"))),
        "{said}"
    );
    let about = answer(Command::new(&binary).args(["about", "--json"])).await;
    assert!(about.contains("hosting"), "{about}");

    for page in [
        "innkeeper",
        "innkeeper-auth-admin-create-user",
        "innkeeper-up",
    ] {
        let page = usr.join(format!("share/man/man1/{page}.1.gz"));
        let raw = run("gzip", &["-dc", page.to_str().unwrap()]).await;
        assert!(
            text(&raw.stdout).contains(".SH SYNOPSIS"),
            "{}",
            page.display()
        );
    }
    for file in [
        "share/bash-completion/completions/innkeeper",
        "share/fish/vendor_completions.d/innkeeper.fish",
        "share/zsh/site-functions/_innkeeper",
    ] {
        let script = fs::read_to_string(usr.join(file)).unwrap();
        assert!(script.contains("create-user"), "{file}");
    }
    assert!(usr.join("share/doc/innkeeper/settings.md").exists());

    let control = fs::read_to_string(root.path().join("DEBIAN/control")).unwrap();
    assert!(
        control.contains(concat!("Version: ", env!("CARGO_PKG_VERSION"), "\n")),
        "{control}"
    );
    assert!(
        !control.contains('@') || control.contains("<innkeeper@localhost>"),
        "{control}"
    );
    for file in ["postinst", "prerm", "postrm"] {
        let file = root.path().join("DEBIAN").join(file);
        let checked = run("sh", &["-n", file.to_str().unwrap()]).await;
        assert!(checked.status.success(), "{}", text(&checked.stderr));
    }
}

#[tokio::test]
async fn settings_that_are_there_survive_an_installation() {
    let root = tempfile::tempdir().unwrap();
    let settings = root.path().join("etc/innkeeper/auth.env");
    let mut install = script("install");
    install
        .env("DESTDIR", root.path())
        .env("PREFIX", "/opt/inn");
    answer(&mut install).await;
    let shipped = fs::read_to_string(&settings).unwrap();
    assert!(shipped.contains("AUTH_DATABASE_URL"), "{shipped}");

    fs::write(&settings, "AUTH_PORT=9\n").unwrap();
    answer(&mut install).await;

    assert_eq!(fs::read_to_string(&settings).unwrap(), "AUTH_PORT=9\n");
    let unit = root
        .path()
        .join("opt/inn/lib/systemd/system/innkeeper-auth.service");
    let unit = fs::read_to_string(unit).unwrap();
    assert!(
        unit.contains("\nExecStart=/opt/inn/bin/innkeeper auth serve"),
        "{unit}"
    );
}

#[tokio::test]
async fn systemd_takes_the_units_and_finds_little_that_they_may_do() {
    let root = tempfile::tempdir().unwrap();
    answer(
        script("install")
            .env("DESTDIR", root.path())
            .env("PREFIX", "/usr"),
    )
    .await;
    let here = tempfile::tempdir().unwrap();
    let binary = root.path().join("usr/bin/innkeeper");
    for (unit, threshold) in UNITS {
        let installed = root.path().join("usr/lib/systemd/system").join(unit);
        // The path of the binary in this test.
        let unit_text = fs::read_to_string(installed).unwrap();
        let unit_text = unit_text.replace("/usr/bin/innkeeper", binary.to_str().unwrap());
        let file = here.path().join(unit);
        fs::write(&file, unit_text).unwrap();
        let file = file.to_str().unwrap();

        let verified = run("systemd-analyze", &["verify", "--man=no", file]).await;
        let said = text(&verified.stderr);
        assert!(verified.status.success(), "{said}");
        assert!(!said.contains(unit), "{said}");

        let arguments = ["security", "--no-pager", "--offline=yes", threshold, file];
        let judged = run("systemd-analyze", &arguments).await;
        assert!(
            judged.status.success(),
            "{}{}",
            text(&judged.stdout),
            text(&judged.stderr)
        );
    }
}

/// Filling in the blanks is enough for a working server.
#[tokio::test]
async fn the_shipped_settings_are_right_once_they_are_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    for (part, arguments) in [
        ("auth", &["auth", "settings"][..]),
        ("hosting", &["hosting", "content", "check"]),
    ] {
        let shipped = repository().join(format!("packaging/settings/{part}.env"));
        let filled: String = fs::read_to_string(shipped)
            .unwrap()
            .lines()
            .map(|line| match line {
                "#AUTH_JWT_SECRET=" => format!("AUTH_JWT_SECRET={}\n", "s3cret-".repeat(6)),
                // Paths that do not exist on this machine.
                "#HOSTING_CONTENT_DIR=/srv/site" => "\n".to_owned(),
                _ if line.contains("CACHE_DIR") => "\n".to_owned(),
                _ => match line.strip_prefix('#') {
                    Some(rest) if rest.starts_with(|first: char| first.is_ascii_uppercase()) => {
                        format!("{rest}\n")
                    }
                    _ => format!("{line}\n"),
                },
            })
            .collect();
        let file = folder.path().join(format!("{part}.env"));
        fs::write(&file, filled).unwrap();
        let mut command = crate::support::innkeeper(arguments);
        let output = crate::support::run(command.arg("--config").arg(&file)).await;
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(
            !text(&output.stderr).contains("warning"),
            "{}",
            text(&output.stderr)
        );
    }
}

/// An upgrade restarts the server, and must not end a customer's machine.
#[test]
fn the_unit_with_machines_leaves_them_running_when_it_stops() {
    let unit = repository().join("packaging/systemd/innkeeper-machines.service");
    let unit = fs::read_to_string(unit).unwrap();
    for line in ["KillMode=process", "Delegate=yes"] {
        assert!(unit.lines().any(|known| known == line), "{line}");
    }
    // systemd deletes this folder when the unit stops, with the sockets of running machines.
    assert!(!unit.contains("RuntimeDirectory="), "{unit}");
}
