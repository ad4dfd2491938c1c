//! The language compared with Go's, mistakes, and hostile templates and values.

mod limits;
mod mistakes;

use serde_json::{Value as Json, json};

use crate::{Output, ParseOptions, Template, TemplateError, Value};

const OPTIONS: ParseOptions<'_> = ParseOptions {
    fields: Some(&["Email", "SiteURL", "URL", "Data"]),
    entry_points: &["subject", "text"],
};

fn rendered(source: &str, values: &Json, output: Output) -> Result<String, TemplateError> {
    Template::parse_with(source, OPTIONS)?.render(&Value::from_json(values), output)
}

fn html(source: &str, values: &Json) -> String {
    rendered(source, values, Output::Html).unwrap()
}

/// What Go 1.26's `html/template` writes for each of these templates.
#[test]
fn templates_mean_what_they_mean_in_go() {
    let golden: Json = serde_json::from_str(include_str!("go.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert!(cases.len() > 100, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let source = case["template"].as_str().unwrap();
        let output =
            rendered(source, &golden["data"], Output::Html).map_err(|error| error.to_string());
        if output.as_deref() != Ok(case["output"].as_str().unwrap()) {
            wrong.push(format!(
                "{source}\n  Go:   {}\n  here: {output:?}",
                case["output"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn data_of_another_shape_than_expected_never_fails_a_rendering() {
    let data = json!({ "Data": { "name": "Ada", "n": 3, "list": [1], "gone": null } });
    for (source, written) in [
        (
            "[{{ .Data.gone }}{{ .Data.a.b.c }}{{ .Data.name.first }}]",
            "[]",
        ),
        (
            "{{ .Data.n.x }}{{ range .Data.name }}x{{ else }}none{{ end }}",
            "none",
        ),
        (
            "{{ eq .Data.gone \"de\" }} {{ eq .Data.n \"3\" }} {{ eq .Data.n 3 }}",
            "false false true",
        ),
        ("{{ lt .Data.name 3 }} {{ gt .Data.name 3 }}", "false false"),
        ("{{ len .Data.n }} {{ len .Data.gone }}", "0 0"),
        (
            "[{{ index .Data.list 7 }}{{ index .Data.name \"x\" }}{{ index .Data \"y\" \"z\" }}]",
            "[]",
        ),
        (
            "[{{ slice .Data.name 2 99 }}{{ slice .Data.name 3 1 }}{{ slice .Data.n 1 }}]",
            "[a]",
        ),
        ("{{ .Data.n | printf \"%05d\" }}", "00003"),
    ] {
        assert_eq!(html(source, &data), written, "{source}");
    }
    // Without any metadata at all.
    assert_eq!(html("[{{ .Data.name }}{{ .Email }}]", &json!({})), "[]");
}

#[test]
fn values_cannot_leave_a_script_or_a_style() {
    let hostile = "\"';alert(1)//</script></style><!--\\\u{2028}`${x}";
    let data = json!({ "Data": { "x": hostile, "n": 1, "o": { "k": [true, null, "é"] } } });
    for source in [
        "<script>var x = {{ .Data.x }};</script>",
        "<script>var x = \"{{ .Data.x }}\";</script>",
        "<script>var x = '{{ .Data.x }}' + `{{ .Data.x }}`;</script>",
        "<script>// it's a trap\nvar x = {{ .Data.x }};</script>",
        "<p onclick=\"go('{{ .Data.x }}')\">",
        "<p onclick='go({{ .Data.x }})'>",
        "<style>p { color: {{ .Data.x }}; }</style>",
        "<style>p { background: url('{{ .Data.x }}') }</style>",
        "<p style=\"color: {{ .Data.x }}\">",
    ] {
        let written = html(source, &data);
        for forbidden in ["alert(1)", "</style><!", "</script><", "${"] {
            assert!(!written.contains(forbidden), "{source}: {written}");
        }
    }
    assert_eq!(
        html("<script>x = {{ .Data.o }}, {{ .Data.n }};</script>", &data),
        "<script>x = {\"k\":[true,null,\"\\u00e9\"]}, 1;</script>"
    );
    assert_eq!(
        html("<iframe srcdoc=\"{{ .URL }}\">", &json!({ "URL": "<b>" })),
        "<iframe srcdoc=\"&amp;lt;b&amp;gt;\">"
    );
    // What some mail programs read as data.
    assert_eq!(
        html(
            "<script type=\"application/ld+json\">{\"url\": \"{{ .URL }}\"}</script>{{ .URL }}",
            &json!({ "URL": "a&b" })
        ),
        "<script type=\"application/ld+json\">{\"url\": \"a\\u0026b\"}</script>a&amp;b"
    );
    assert_eq!(
        html(
            "<p style=\"background: url({{ .URL }})\">",
            &json!({ "URL": "https://a.example/x y" })
        ),
        "<p style=\"background: url(https://a.example/x%20y)\">"
    );
}

#[test]
fn conditional_comments_are_read_as_html() {
    let data = json!({ "URL": "javascript:alert(1)", "Email": "--><b>" });
    let source = "<!--[if mso]><v:rect href=\"{{ .URL }}\"><![endif]-->\
                  <!--[if !mso]><!--><a href=\"{{ .URL }}\"><!--<![endif]-->{{ .Email }}\
                  <!-- {{ .Email }} --><!--> {{ .Email }}";
    let written = html(source, &data);
    assert_eq!(
        written.matches("href=\"#ZgotmplZ\"").count(),
        2,
        "{written}"
    );
    assert_eq!(written.matches("--&gt;&lt;b&gt;").count(), 3, "{written}");
}

#[test]
fn in_plain_text_values_are_not_escaped() {
    let data = json!({ "Email": "<a&b>", "Data": { "x": null } });
    let source = "{{ .Email }} {{ html .Email }} {{ urlquery .Email }}[{{ .Data.x }}]";
    assert_eq!(
        rendered(source, &data, Output::Text).unwrap(),
        "<a&b> &lt;a&amp;b&gt; %3Ca%26b%3E[]"
    );
}

#[test]
fn defined_templates_are_rendered_by_name() {
    let source = "{{ define \"subject\" }}For {{ .Email }}{{ end }}<p>{{ .Email }}</p>";
    let template = Template::parse_with(source, OPTIONS).unwrap();
    let values = Value::from_json(&json!({ "Email": "<a>" }));
    let subject = template.render_defined("subject", &values, Output::Text);
    assert_eq!(subject.unwrap().unwrap(), "For <a>");
    assert!(
        template
            .render_defined("text", &values, Output::Text)
            .is_none()
    );
    assert_eq!(
        template.render(&values, Output::Html).unwrap(),
        "<p>&lt;a&gt;</p>"
    );
}
