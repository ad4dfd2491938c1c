//! What the host must have to run virtual private servers.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

/// The programs and the Debian packages that have them.
const PACKAGES: [(&str, &str); 2] = [("emulator", "qemu-system-x86"), ("disk tool", "qemu-utils")];

/// Returns what is missing, one sentence each.
pub(super) async fn problems(emulator: &Path, disk_tool: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for ((role, package), program) in PACKAGES.iter().zip([emulator, disk_tool]) {
        let mut command = Command::new(program);
        command
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let program = program.display();
        match command.status().await {
            Ok(status) if status.success() => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => problems.push(format!(
                "{program} is not installed (Debian package: {package})"
            )),
            Err(error) => problems.push(format!("the {role} {program} cannot be run: {error}")),
            Ok(status) => problems.push(format!("the {role} {program} does not work: {status}")),
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::problems;

    #[tokio::test]
    async fn everything_that_is_missing_is_named_at_once() {
        let missing = problems(Path::new("/nowhere/qemu-system-x86_64"), Path::new("false"));
        let missing = missing.await;
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert!(
            missing[0].contains("Debian package: qemu-system-x86"),
            "{missing:?}"
        );
        assert!(missing[1].contains("false does not work"), "{missing:?}");
        assert!(
            problems(Path::new("true"), Path::new("true"))
                .await
                .is_empty()
        );
    }
}
