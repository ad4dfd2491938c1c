//! Mistakes in declarations and their compiler messages: `tests/ui`.

// Fixtures that must compile are modules of this file: trybuild would build everything again for them.
#[path = "../ui/pass/allowed_shapes.rs"]
mod allowed_shapes;
#[path = "../ui/pass/own_names.rs"]
mod own_names;
#[path = "../ui/pass/shadowed_names.rs"]
mod shadowed_names;

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, RestApi};

/// The compiler whose messages the `.stderr` files hold.
const COMPARED: &str = "rustc 1.95.";

/// The variable with the folder of copied fixtures, for the run that only checks that they fail to compile.
const COPIES: &str = "INNKEEPER_UI_COPIES";

#[test]
fn mistakes_are_refused_with_a_message_that_helps() {
    if let Some(copies) = env::var_os(COPIES) {
        trybuild::TestCases::new().compile_fail(Path::new(&copies).join("*.rs"));
    } else if compiler().starts_with(COMPARED) {
        trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
    } else {
        only_refused();
    }
}

/// Checks only that the fixtures fail to compile: other compilers word their messages differently.
/// Without a `.stderr` file, trybuild fails unless `TRYBUILD=overwrite` is set: the fixtures are copied
/// without their messages, and this test runs again with that variable.
fn only_refused() {
    let copies = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    for entry in fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            fs::copy(&path, copies.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let again = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("compile_fail::mistakes_are_refused_with_a_message_that_helps")
        .env(COPIES, copies.path())
        .env("TRYBUILD", "overwrite")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.success(), "{told}");
}

/// Returns the version line of the compiler in use.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn what_looks_like_a_mistake_and_is_none_compiles_and_answers() {
    let api = RestApi::new(allowed_shapes::Shapes)
        .with(own_names::Own)
        .with(shadowed_names::Option);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    for (target, answer) in [
        ("/shapes/255", "number 255"),
        ("/shapes/abc", "name abc"),
        ("/shapes/files/a/b", "a/b"),
        ("/shapes/default", "Some(7)"),
        ("/shapes/borrowed?text=a", "a"),
        ("/own/1/2?this=3&body=4", "10"),
        ("/own/filters", "filters"),
        ("/shadowed/1", "{\"number\":8}"),
    ] {
        assert_eq!(client.get(target).send().await.text(), answer, "{target}");
    }
    let owned = client.post("/shapes/owned?name=Ada").body("as it came");
    let owned = owned.send().await;
    assert_eq!(
        (owned.header("x-name"), owned.text().as_str()),
        (Some("Ada"), "as it came")
    );
}
