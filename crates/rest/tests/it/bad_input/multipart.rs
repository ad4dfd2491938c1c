//! Multipart bodies that are cut off or have no boundary.

use innkeeper_rest::testing::TestResponse;

use super::{assert_missing, assert_problem, client};

const WHOLE: &str = "--b\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\nAda\r\n\
                     --b\r\ncontent-disposition: form-data; name=\"age\"\r\n\r\n36\r\n--b--\r\n";

async fn post(path: &str, content_type: &str, body: Vec<u8>) -> TestResponse {
    let client = client();
    let request = client.post(path).header("content-type", content_type);
    request.body(body).send().await
}

#[tokio::test]
async fn a_multipart_body_cut_off_anywhere_is_refused() {
    let content_type = "multipart/form-data; boundary=b";
    let whole = post("/x/person", content_type, WHOLE.into()).await;
    assert_eq!(whole.text(), r#"{"name":"Ada","age":36,"homes":[]}"#);
    // The line break at the end is not needed.
    let needed = WHOLE.len() - 2;
    for end in 0..needed {
        for path in ["/x/person", "/x/field"] {
            let body = WHOLE.as_bytes()[..end].to_vec();
            let response = post(path, content_type, body).await;
            assert_eq!(response.status(), 400, "{path} cut off at {end}");
        }
    }
    let response = post("/x/field", content_type, WHOLE.as_bytes()[..70].to_vec()).await;
    assert_problem(
        &response,
        400,
        "malformed_body",
        "malformed multipart body: incomplete multipart stream",
    );
}

#[tokio::test]
async fn a_multipart_body_without_boundary_is_refused() {
    for content_type in [
        "multipart/form-data",
        "multipart/form-data;",
        "multipart/form-data; charset=utf-8",
        "Multipart/Form-Data; boundaryx=b",
    ] {
        for path in ["/x/person", "/x/field"] {
            let response = post(path, content_type, WHOLE.into()).await;
            assert_problem(
                &response,
                400,
                "malformed_body",
                "the content type has no multipart boundary",
            );
        }
    }
}

#[tokio::test]
async fn a_strange_boundary_is_refused_or_not_found() {
    let long = format!("multipart/form-data; boundary={}", "b".repeat(60_000));
    for content_type in [
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"b",
        "multipart/form-data; boundary=b b",
        &long,
    ] {
        let response = post("/x/field", content_type, WHOLE.into()).await;
        assert_eq!(response.status(), 400, "{content_type}");
    }
}

#[tokio::test]
async fn other_multipart_types_are_unsupported() {
    let response = post("/x/person", "multipart/mixed; boundary=b", WHOLE.into()).await;
    assert_eq!(response.status(), 415);
}

#[tokio::test]
async fn a_part_without_name_or_with_a_strange_head_is_no_field() {
    let content_type = "multipart/form-data; boundary=b";
    let unnamed = b"--b\r\ncontent-type: text/plain\r\n\r\nx\r\n--b--\r\n".to_vec();
    let response = post("/x/field", content_type, unnamed).await;
    assert_missing(&response, "parameter", "name");
    for head in [
        "x",
        ": y",
        "content-disposition",
        "content-disposition: \0",
        "\u{fc}: 1",
    ] {
        let body = format!("--b\r\n{head}\r\n\r\nx\r\n--b--\r\n");
        let response = post("/x/field", content_type, body.into()).await;
        assert_eq!(response.status(), 400, "{head}");
    }
}

#[tokio::test]
async fn a_field_that_is_not_text_is_refused() {
    let field = |bytes: &[u8]| {
        let head = b"--b\r\ncontent-disposition: form-data; name=\"name\"\r\n\r\n";
        [head, bytes, b"\r\n--b--\r\n"].concat()
    };
    let content_type = "multipart/form-data; boundary=b";
    for path in ["/x/field", "/x/person"] {
        let response = post(path, content_type, field(b"\xff")).await;
        let problem = "a form field is not UTF-8 text";
        assert_problem(&response, 400, "malformed_body", problem);
    }
    let nul = post("/x/field", content_type, field(b"a\0")).await;
    let problem = "malformed form: expected text without NUL";
    assert_problem(&nul, 400, "malformed_body", problem);
}

#[tokio::test]
async fn thousands_of_parts_are_read() {
    let part = "--b\r\ncontent-disposition: form-data; name=\"other\"\r\n\r\nx\r\n";
    let body = part.repeat(5_000) + WHOLE;
    let content_type = "multipart/form-data; boundary=b";
    let response = post("/x/field", content_type, body.into()).await;
    assert_eq!(response.text(), "Ada");
}
