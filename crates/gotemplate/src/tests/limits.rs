//! No template hangs, overflows or panics.

use proptest::prelude::*;
use serde_json::json;

use super::{OPTIONS, Output, Template, Value, rendered};
use crate::limits::{MAX_NESTING, MAX_OUTPUT};

fn problem(source: &str) -> String {
    let data = json!({ "Data": { "x": "y".repeat(1000) } });
    rendered(source, &data, Output::Html)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_template_that_never_ends_is_stopped() {
    let endless = "{{ define \"x\" }}{{ template \"x\" . }}{{ end }}{{ template \"x\" . }}";
    assert_eq!(problem(endless), "the template calls itself too often");
    for source in [
        "{{ range 9999999999 }}{{ end }}",
        "{{ range 99999 }}{{ range 99999 }}{{ len $.Data.x }}{{ end }}{{ end }}",
        "{{ $x := \"aaaaaaaaaaaaaaaa\" }}{{ range 99999 }}{{ if eq $x $x }}{{ end }}\
         {{ $x = print $x \"aaaaaaaa\" }}{{ end }}",
        "{{ range 99999 }}{{ $y := print $.Data $.Data }}{{ end }}",
    ] {
        assert_eq!(
            problem(source),
            "the template takes too many steps",
            "{source}"
        );
    }
}

#[test]
fn a_template_that_writes_too_much_is_stopped() {
    let much = "the template writes more than 2 MiB";
    assert_eq!(problem("{{ range 9999 }}{{ $.Data.x }}{{ end }}"), much);
    let doubling = format!(
        "{{{{ $x := .Data.x }}}}{}",
        "{{ $x = print $x $x }}".repeat(20)
    );
    assert_eq!(problem(&doubling), much);
    let wide = format!(
        "{{{{ printf \"{}\" {} }}}}",
        "%1000d".repeat(5000),
        "1 ".repeat(5000)
    );
    assert_eq!(problem(&wide), much);
    let fits = "x".repeat(MAX_OUTPUT);
    assert_eq!(
        rendered(&fits, &json!({}), Output::Html).unwrap().len(),
        MAX_OUTPUT
    );
}

#[test]
fn templates_that_are_nested_too_deeply_are_refused() {
    for (open, close) in [
        ("{{ if true }}", "{{ end }}"),
        ("{{ range 1 }}", "{{ end }}"),
        ("{{ with 1 }}", "{{ end }}"),
        ("{{ if false }}{{ else }}", "{{ end }}"),
    ] {
        let nested = |levels: usize| open.repeat(levels) + "x" + &close.repeat(levels);
        let written = rendered(&nested(MAX_NESTING), &json!({}), Output::Html).unwrap();
        assert_eq!(written, "x", "{open}");
        let fault = Template::parse_with(&nested(MAX_NESTING + 1), OPTIONS).unwrap_err();
        assert!(
            fault.to_string().contains("more than 100 levels"),
            "{fault}"
        );
        Template::parse_with(&nested(100_000), OPTIONS).unwrap_err();
    }
    let parentheses = |levels: usize| {
        format!(
            "{{{{ {}1{} }}}}",
            "(print ".repeat(levels),
            ")".repeat(levels)
        )
    };
    assert_eq!(
        rendered(&parentheses(99), &json!({}), Output::Html).unwrap(),
        "1"
    );
    Template::parse_with(&parentheses(100_000), OPTIONS).unwrap_err();
    let chain = format!(
        "{{{{ if false }}}}{}{{{{ end }}}}",
        "{{ else if false }}x".repeat(90)
    );
    assert_eq!(rendered(&chain, &json!({}), Output::Html).unwrap(), "");
}

#[test]
fn large_templates_are_parsed_or_refused_quickly() {
    for piece in [
        "<a href=\"",
        "{{ .Email }}",
        "{{",
        "\"'<!--",
        "{{ $x := 1 }}",
        "{{/**/}}",
        "{{ if",
    ] {
        let source = piece.repeat(1_000_000 / piece.len());
        if let Ok(template) = Template::parse_with(&source, OPTIONS) {
            let values = Value::from_json(&json!({}));
            template.render(&values, Output::Html).ok();
        }
    }
}

/// Valid and invalid pieces of templates.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "{{", "}}", "{{-", "-}}", " ", ".", ".Email", ".Data", ".Data.x", "$", "$x", ":=", "=", ",", "|",
            "(", ")", "if ", "else ", "end", "range ", "with ", "define ", "template ", "block ", "break",
            "continue", "eq ", "and ", "printf ", "print ", "index ", "slice ", "len ", "html ", "urlquery ",
            "js ", "\"x\"", "\"%d%5s%q\"", "`y`", "'z'", "1", "-2", "0x1f", "1e9", "true", "nil", "/*", "*/",
            "<", ">", "<a href=\"", "\"", "'", "<script>", "</script>", "<style>", "</style>", "<!--", "-->",
            "<p style='", "onclick=", "url(", "\n", "{{ end }}", "{{ .Data.x }}", "{{ if .Email }}",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Metadata, as anybody can send it.
fn metadata() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        ".*".prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|values| json!(values)),
            prop::collection::btree_map("[a-z]", inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_template_and_no_value_panics(source in pieces(), value in metadata()) {
        if let Ok(template) = Template::parse_with(&source, OPTIONS) {
            let values = Value::from_json(&json!({ "Email": value, "Data": { "x": value } }));
            template.render(&values, Output::Html).ok();
            template.render(&values, Output::Text).ok();
        }
    }

    #[test]
    fn no_value_leaves_its_context(value in "[\\PC\"'<>&`=/\\\\()]{0,20}") {
        let values = Value::from_json(&json!({ "Email": value }));
        let template = "<p a=\"{{ .Email }}\" b='{{ .Email }}' c={{ .Email }} href=\"{{ .Email }}\">{{ .Email }}";
        let written = Template::parse_with(template, OPTIONS).unwrap().render(&values, Output::Html).unwrap();
        prop_assert_eq!(written.matches('<').count(), 1);
        prop_assert_eq!(written.matches('>').count(), 1);
        prop_assert_eq!(written.matches('"').count(), 4);
        prop_assert_eq!(written.matches('\'').count(), 2);
    }
}
