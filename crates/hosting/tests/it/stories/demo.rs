//! The demo content that is built into the binary.

use std::collections::BTreeSet;
use std::path::Path;

use innkeeper_hosting::demo;

use crate::support::Site;

fn files_below(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            files_below(&path, root, found);
        } else if !name.starts_with('.') {
            found.insert(
                path.strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
            );
        }
    }
}

#[test]
fn every_file_of_the_demo_content_is_part_of_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let mut found = BTreeSet::new();
    files_below(&folder, &folder, &mut found);
    let listed: BTreeSet<String> = demo::FILES
        .iter()
        .map(|file| file.name.to_owned())
        .collect();
    assert_eq!(listed, found);
}

#[tokio::test]
async fn the_demo_content_is_without_faults_and_worth_reading() {
    let site = Site::demo().await;
    assert_eq!(site.problems(), [""; 0]);
    let (blog, kb) = (
        site.paths("/v1/blog/list").await,
        site.paths("/v1/kb/list").await,
    );
    assert!(blog.len() >= 3 && kb.len() >= 3 && blog.len() + kb.len() >= 6);
    for (kind, paths) in [("blog", blog), ("kb", kb)] {
        for path in paths {
            let article = site
                .get(&format!("/v1/{kind}/article?path={path}"))
                .await
                .json();
            assert!(article["html"].as_str().unwrap().len() > 500, "{path}");
            let cover = article["cover"].as_str().unwrap();
            if !cover.is_empty() {
                assert_eq!(
                    site.get(&format!("/v1/assets{cover}")).await.status,
                    200,
                    "{cover}"
                );
            }
        }
    }
    assert!(
        site.get("/v1/plans").await.json()["plans"]
            .as_array()
            .unwrap()
            .len()
            >= 5
    );
}

#[tokio::test]
async fn the_demo_content_can_be_written_to_a_folder_once() {
    let site = Site::with(&[("plans.toml", "")]).await;
    demo::write_to(site.folder.path()).unwrap();
    site.reload();
    assert_eq!(site.problems(), [""; 0]);
    assert_eq!(
        site.get("/v1/plans").await.json()["plans"],
        serde_json::json!([])
    );
    assert!(site.paths("/v1/blog/list").await.len() >= 3);
}
