use super::*;

const A: HeaderName = HeaderName::from_static("x-a");
const B: HeaderName = HeaderName::from_static("x-b");

fn value(text: &'static str) -> HeaderValue {
    HeaderValue::from_static(text)
}

/// Everything as it is sent, and as a map has it.
fn both(fields: &ResponseHeaders) -> (String, String) {
    let mut sent = Vec::new();
    fields.write(&mut sent, |out, name, value| {
        push_line(out, name, value.as_bytes());
    });
    let mut mapped = Vec::new();
    for (name, value) in fields.map() {
        push_line(&mut mapped, name, value.as_bytes());
    }
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(sent), text(mapped))
}

/// The values of a header, in their order.
fn all(fields: &ResponseHeaders, name: HeaderName) -> Vec<HeaderValue> {
    let mut values = Vec::new();
    fields.any(&IndexedName::new(name), |value| {
        values.push(value.clone());
        false
    });
    values
}

fn ready() -> ReadyHeaders {
    let mut headers = HeaderMap::new();
    headers.append(A, value("1"));
    headers.append(A, value("2"));
    ReadyHeaders::new(headers)
}

fn with_lines(mut fields: ResponseHeaders) -> ResponseHeaders {
    fields.append_lines(HeaderNameSet::of([&A, &B]), |lines| {
        lines.extend_from_slice(b"x-b: 3\r\nx-a: 4\r\n");
    });
    fields
}

#[test]
fn however_headers_were_set_a_map_and_the_wire_have_the_same() {
    let mut fields = ResponseHeaders::ready(&ready());
    fields.append(A, value("3"));
    let expected = "x-a: 1\r\nx-a: 2\r\nx-a: 3\r\n".to_owned();
    assert_eq!(both(&fields), (expected.clone(), expected.clone()));
    let fields = with_lines(fields);
    let (sent, mapped) = both(&fields);
    assert_eq!(sent, format!("{expected}x-b: 3\r\nx-a: 4\r\n"));
    assert_eq!(mapped, format!("{expected}x-a: 4\r\nx-b: 3\r\n"));
}

#[test]
fn what_is_set_replaces_whatever_form_it_has() {
    for mut fields in [
        ResponseHeaders::ready(&ready()),
        with_lines(ResponseHeaders::default()),
        with_lines(ResponseHeaders::ready(&ready())),
        ResponseHeaders::from_map(HeaderMap::new()),
        with_lines(ResponseHeaders::from_map(HeaderMap::new())),
    ] {
        fields.insert(A, value("new"));
        fields.insert_if_absent(A, value("newer"));
        assert_eq!(all(&fields, A), ["new"]);
        assert_eq!(fields.get(&A), Some(&value("new")));
        fields.append(A, value("more"));
        assert_eq!(all(&fields, A), ["new", "more"]);
        fields.remove(&A);
        assert!(!fields.contains(&A) && !fields.has(&IndexedName::new(A)));
        assert!(!both(&fields).0.contains("x-a"));
    }
}

#[test]
fn a_header_that_is_absent_becomes_a_line_where_lines_are() {
    const C: HeaderName = HeaderName::from_static("x-c");
    let mut fields = with_lines(ResponseHeaders::ready(&ready()));
    for text in ["new", "newer"] {
        fields.insert_if_absent(C, value(text));
    }
    fields.insert_if_absent(B, value("other"));
    assert!(fields.list.is_empty() && fields.map.is_none());
    assert_eq!(all(&fields, C), [value("new")]);
    assert_eq!(all(&fields, B), [value("3")]);
    let (sent, _) = both(&fields);
    assert!(sent.ends_with("x-a: 4\r\nx-c: new\r\n"), "{sent}");

    // What the server may still change, and what no line can say, stays in the list.
    for (name, text) in [
        (DATE, "today"),
        (CONTENT_LENGTH, "7"),
        (CONNECTION, "close"),
    ] {
        fields.insert_if_absent(name, value(text));
    }
    fields.insert_if_absent(HeaderName::from_static("x-empty"), value(""));
    assert_eq!(fields.list.len(), 4);
    assert_eq!(fields.map()["x-empty"], "");
    assert_eq!(fields.map()[DATE], "today");
}

#[test]
fn no_map_is_made_for_questions_about_other_headers() {
    let mut fields = with_lines(ResponseHeaders::default());
    fields.append(VARY, value("origin"));
    assert_eq!(fields.get(&VARY), Some(&value("origin")));
    assert_eq!(all(&fields, VARY), ["origin"]);
    fields.insert(VARY, value("accept"));
    fields.insert_if_absent(DATE, value("today"));
    assert!(fields.has(&IndexedName::new(VARY)));
    fields.remove(&VARY);
    assert!(!fields.has(&IndexedName::new(VARY)));
    assert!(fields.view.get().is_none() && fields.map.is_none());
}

#[test]
fn what_an_answer_depends_on_is_known_however_it_was_said() {
    let (coding, origin) = (
        IndexedName::known("accept-encoding"),
        IndexedName::known("origin"),
    );
    let said = [
        ("Accept-Encoding, accept", true),
        ("*", true),
        ("accept", false),
    ];
    for (value, expected) in said {
        let value = HeaderValue::from_static(value);
        let ready = ReadyHeaders::new(HeaderMap::from_iter([(VARY, value.clone())]));
        let mut listed = ResponseHeaders::default();
        listed.append(VARY, value.clone());
        let mapped = ResponseHeaders::from_map(HeaderMap::from_iter([(VARY, value)]));
        for mut fields in [ResponseHeaders::ready(&ready), listed, mapped] {
            assert_eq!(fields.varies_by(&coding), expected);
            fields.append_lines(VARY_NAME.set(), |lines| {
                lines.extend_from_slice(b"vary: origin\r\n");
            });
            assert!(fields.varies_by(&origin));
            assert_eq!(fields.varies_by(&coding), expected);
        }
    }
}

#[test]
fn lines_are_found_and_kept_in_order() {
    let mut fields = with_lines(ResponseHeaders::default());
    assert_eq!(fields.get(&B), Some(&value("3")));
    fields.append(B, value("4"));
    assert_eq!(all(&fields, B), ["3", "4"]);
    fields.remove(&HeaderName::from_static("x-c"));
    assert_eq!(fields.into_map().len(), 3);
}
