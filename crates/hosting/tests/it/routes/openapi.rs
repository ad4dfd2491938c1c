//! `GET /v1/openapi.json` and `GET /v1/docs`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Site;

/// Returns the methods and paths of a document.
fn described(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(|method| (method.to_uppercase(), path.clone()))
        })
        .collect()
}

#[tokio::test]
async fn the_document_tells_of_every_route_and_is_the_one_that_is_printed() {
    let site = Site::demo().await;
    let answer = site.get("/v1/openapi.json").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.header("etag").is_some());
    let document = answer.json();
    let routes = innkeeper_hosting::route_table();
    let routes = routes
        .into_iter()
        .map(|(method, path)| (method.to_owned(), path.replace("{*", "{")));
    assert_eq!(described(&document), routes.collect());
    assert_eq!(document, innkeeper_hosting::openapi().unwrap());
    assert_eq!(document["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_operation_lists_its_answers_and_their_headers() {
    let document = innkeeper_hosting::openapi().unwrap();
    let mut names = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            assert!(names.insert(operation["operationId"].to_string()), "{path}");
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{path}");
            let answers = operation["responses"].as_object().unwrap();
            assert!(answers.contains_key("429"), "{path}");
            assert!(!answers.contains_key("default"), "{path}");
            for (status, answer) in answers {
                for header in ["X-Request-Id", "RateLimit", "X-RateLimit-Reset"] {
                    assert!(answer["headers"][header].is_object(), "{path} {status}");
                }
                let has_content = answer["content"]
                    .as_object()
                    .is_some_and(|all| !all.is_empty());
                let may_have_content = !["101", "304"].contains(&status.as_str());
                assert_eq!(has_content, may_have_content, "{path} {status}: {answer}");
            }
            let parameters = operation["parameters"].as_array();
            for parameter in parameters.into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{path} {parameter}");
            }
        }
    }
}

#[tokio::test]
async fn people_read_the_document_on_a_page() {
    let site = Site::demo().await;
    for (path, content_type) in [
        ("/v1/docs", "text/html; charset=utf-8"),
        ("/v1/docs/docs.js", "text/javascript; charset=utf-8"),
        ("/v1/docs/docs.css", "text/css; charset=utf-8"),
    ] {
        let answer = site.get_with(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(content_type), "{path}");
        assert_eq!(answer.header("content-encoding"), Some("gzip"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "));
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    let page = site.get("/v1/docs").await.text();
    assert!(
        page.contains("data-document=\"/v1/openapi.json\""),
        "{page}"
    );
    site.get("/v1/docs/nothing").await.refused(404, "not found");
    let posted = site.send("POST", "/v1/docs", &[]).await;
    posted.refused(405, "method not allowed");
}
