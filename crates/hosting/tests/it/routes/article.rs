//! `GET /v1/blog/article` and `/v1/kb/article`.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::{Site, article};

const BODY: &str = "\n# Hello\r\n\nSome *text* with \"quotes\", a tab\t and \u{1f426}.\n\n## Next\n\n```rust\nfn main() {}\n```\n";

async fn site() -> Site {
    let head = "---\ntitle: Hello\ndescription: A greeting\ndate: 2026-03-01\nupdated: 2026-03-05T10:00:00Z\n\
                author: Ada\ncategory: News\ncover: /images/a.svg\naliases: [/blog/old-hello, /hello]\n---\n";
    Site::with(&[
        ("blog/hello.md", &format!("{head}{BODY}")),
        (
            "blog/other.md",
            "---\ntitle: Hello again\ndate: 2026-03-02\ncategory: News\n---\nText\n",
        ),
        (
            "blog/third.md",
            "---\ntitle: Unrelated\ndate: 2026-03-03\n---\nText\n",
        ),
        ("blog/2026/twin.md", &article("Twin", "2026-03-04", "")),
        ("blog/2025/twin.md", &article("Twin", "2025-03-04", "")),
        ("kb/vps/start.md", "+++\ntitle = \"Start\"\n+++\nHow to.\n"),
        ("images/a.svg", "<svg/>"),
    ])
    .await
}

#[tokio::test]
async fn an_article_has_the_metadata_of_the_list_and_body_and_html() {
    let site = site().await;
    let article = site.get("/v1/blog/article?path=/blog/hello").await.json();
    let html = article["html"].as_str().unwrap();
    assert!(html.contains("<h1 id=\"hello\">Hello"), "{html}");
    assert!(
        html.contains("<span class=\"hl-keyword\">fn</span>"),
        "{html}"
    );
    let keys: Vec<&String> = article.as_object().unwrap().keys().collect();
    let mut expected = [
        "title",
        "description",
        "path",
        "category",
        "date",
        "author",
        "readTime",
        "cover",
        "body",
        "html",
        "updatedAt",
        "toc",
        "related",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(article["body"], BODY, "byte for byte");
    assert_eq!(article["cover"], "/images/a.svg");
    assert_eq!(article["updatedAt"], "2026-03-05T10:00:00.000Z");
    assert_eq!(
        article["toc"],
        json!([{ "level": 1, "id": "hello", "text": "Hello" }, { "level": 2, "id": "next", "text": "Next" }])
    );
    let list = site.get("/v1/blog/list?limit=100").await.json();
    let items = list["items"].as_array().unwrap();
    let item = items
        .iter()
        .find(|item| item["path"] == "/blog/hello")
        .unwrap();
    assert_eq!(item.as_object().unwrap().len(), 8);
    for (key, value) in item.as_object().unwrap() {
        assert!(value.is_string());
        assert_eq!(&article[key], value, "{key}");
    }
    let related: Vec<&Value> = article["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["path"])
        .collect();
    assert_eq!(related, ["/blog/other"]);
}

#[tokio::test]
async fn an_article_of_the_knowledge_base_is_found_there_and_not_in_the_blog() {
    let site = site().await;
    let article = site
        .get("/v1/kb/article?path=%2Fkb%2Fvps%2Fstart")
        .await
        .json();
    assert_eq!(
        (&article["title"], &article["body"], &article["html"]),
        (
            &json!("Start"),
            &json!("How to.\n"),
            &json!("<p>How to.</p>\n")
        )
    );
    site.get("/v1/blog/article?path=/kb/vps/start")
        .await
        .refused(404, "article not found");
    site.get("/v1/kb/article?path=/blog/hello")
        .await
        .refused(404, "article not found");
}

#[tokio::test]
async fn an_article_is_found_by_its_slug_unless_several_have_it() {
    let site = site().await;
    assert_eq!(
        site.get("/v1/blog/article?slug=hello").await.json()["path"],
        "/blog/hello"
    );
    assert_eq!(
        site.get("/v1/kb/article?slug=start").await.json()["path"],
        "/kb/vps/start"
    );
    let twins = site.get("/v1/blog/article?slug=twin").await;
    twins.refused(400, "several articles have this slug; use path instead");
    site.get("/v1/blog/article?slug=nobody")
        .await
        .refused(404, "article not found");
}

#[tokio::test]
async fn an_old_path_leads_to_the_new_one() {
    let site = site().await;
    for old in ["/blog/old-hello", "/hello", "/hello/"] {
        let answer = site.get(&format!("/v1/blog/article?path={old}")).await;
        assert_eq!(answer.status, 301);
        assert_eq!(
            answer.header("location"),
            Some("/v1/blog/article?path=/blog/hello")
        );
        assert_eq!(answer.json(), json!({ "movedTo": "/blog/hello" }));
    }
    let location = "/v1/blog/article?path=/blog/hello";
    assert_eq!(site.get(location).await.json()["title"], "Hello");
}

#[tokio::test]
async fn what_is_no_path_is_refused_and_never_an_error_of_ours() {
    let site = site().await;
    for (query, status, line) in [
        ("", 400, "path is missing"),
        ("?path=/a&slug=b", 400, "either path or slug, not both"),
        ("?path=blog/hello", 400, "path: must start with `/`"),
        ("?path=", 400, "path: must start with `/`"),
        (
            "?path=/blog/../blog/hello",
            400,
            "path: has an empty segment, `.` or `..`",
        ),
        (
            "?path=/blog/%2e%2e/hello",
            400,
            "path: has an empty segment, `.` or `..`",
        ),
        (
            "?path=//blog/hello",
            400,
            "path: has an empty segment, `.` or `..`",
        ),
        (
            "?path=/blog%5chello",
            400,
            "path: has a character that is not allowed in a path",
        ),
        (
            "?path=/blog/%00",
            400,
            "parameter `path`: expected text without NUL",
        ),
        (
            "?path=/blog/%0d%0ax-evil:1",
            400,
            "path: has a character that is not allowed in a path",
        ),
        ("?path=/blog/hello.md", 404, "article not found"),
        ("?path=/BLOG/hello", 404, "article not found"),
        ("?path=/etc/passwd", 404, "article not found"),
        ("?path=/%F0%9F%90%A6", 404, "article not found"),
    ] {
        site.get(&format!("/v1/blog/article{query}"))
            .await
            .refused(status, line);
    }
    let long = format!("/v1/blog/article?path=/{}", "a".repeat(2000));
    site.get(&long)
        .await
        .refused(400, "path: is longer than 1024 bytes");
    for query in ["?path=%ff", "?path=%zz", "?path=/a&path=/b"] {
        let answer = site.get(&format!("/v1/blog/article{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(!answer.text().contains('\n'), "{query}");
    }
}

#[tokio::test]
async fn an_article_has_a_strong_tag_in_every_coding_and_304() {
    let long = "word ".repeat(2000);
    let site = Site::with(&[("kb/long.md", &format!("---\ntitle: Long\n---\n{long}"))]).await;
    let target = "/v1/kb/article?path=/kb/long";
    let plain = site.get(target).await;
    let gzip = site.get_with(target, &[("accept-encoding", "gzip")]).await;
    let brotli = site
        .get_with(target, &[("accept-encoding", "gzip, br")])
        .await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert_eq!(brotli.header("content-encoding"), Some("br"));
    assert!(brotli.body.len() < plain.body.len() / 4);
    let mut unpacked = Vec::new();
    GzDecoder::new(&*gzip.body)
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain.body);
    let tags = [&plain, &gzip, &brotli].map(|answer| answer.header("etag").unwrap());
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2]);
    for (tag, coding) in tags.into_iter().zip(["identity", "gzip", "br"]) {
        let headers = [("if-none-match", tag), ("accept-encoding", coding)];
        let answer = site.get_with(target, &headers).await;
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{tag}");
        assert_eq!(answer.header("content-encoding"), None);
        let headers = [("if-match", tag), ("accept-encoding", coding)];
        assert_eq!(site.get_with(target, &headers).await.status, 200);
        assert!(!tag.starts_with("W/"));
    }
    let other = site.get_with(target, &[("if-match", "\"other\"")]).await;
    other.refused(412, "the resource has changed since you read it");
    for answer in [&plain, &gzip, &brotli] {
        assert!(
            answer
                .headers("vary")
                .join(",")
                .to_lowercase()
                .contains("accept-encoding")
        );
    }
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let site = site().await;
    let target = "/v1/blog/article?path=/blog/hello";
    let (get, head) = (site.get(target).await, site.send("HEAD", target, &[]).await);
    assert_eq!((head.status, head.body.len()), (200, 0));
    for name in ["etag", "content-type", "cache-control", "content-length"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}
