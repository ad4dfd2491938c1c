//! Mistakes in templates.

use super::{OPTIONS, Template};

/// Templates and their mistakes.
const MISTAKES: &[(&str, &str)] = &[
    ("{{ .Email", "line 1, column 1: `{{` is never closed"),
    (
        "a\n b {{ if .Email }}x",
        "line 2, column 7: `if` has no `end`",
    ),
    ("ä {{ end }}", "line 1, column 6: unexpected `end`"),
    ("{{ else }}", "line 1, column 4: unexpected `else`"),
    (
        "{{ if }}x{{ end }}",
        "line 1, column 7: a value is expected here",
    ),
    ("{{ }}", "line 1, column 4: a value is expected here"),
    (
        "{{ if .Email }}{{ else }}{{ else }}{{ end }}",
        "line 1, column 29: there is a second `else`",
    ),
    (
        "{{ nope .Email }}",
        "line 1, column 4: there is no function `nope`",
    ),
    (
        "{{ .Email | nope }}",
        "line 1, column 13: there is no function `nope`",
    ),
    ("{{ $x }}", "line 1, column 4: no variable `$x` is set here"),
    (
        "{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}",
        "line 1, column 39: no variable `$x` is set here",
    ),
    (
        "{{ $x = 1 }}",
        "line 1, column 9: no variable `$x` is set here",
    ),
    (
        "{{ .Name }}",
        "line 1, column 4: there is no `.Name`; there are .Email, .SiteURL, .URL, .Data",
    ),
    (
        "{{ range .Data }}{{ .Name }}{{ $.Name }}{{ end }}",
        "line 1, column 33: there is no `.Name`; there are .Email, .SiteURL, .URL, .Data",
    ),
    (
        "{{ define \"subject\" }}{{ .Name }}{{ end }}",
        "line 1, column 26: there is no `.Name`; there are .Email, .SiteURL, .URL, .Data",
    ),
    ("{{ len }}", "line 1, column 4: `len` takes 1 values, not 0"),
    (
        "{{ eq .Email }}",
        "line 1, column 4: `eq` takes at least 2 values, not 1",
    ),
    (
        "{{ not 1 2 }}",
        "line 1, column 4: `not` takes 1 values, not 2",
    ),
    (
        "{{ .Email .Email }}",
        "line 1, column 4: this is not a function and takes no values",
    ),
    (
        "{{ 1 | .Email }}",
        "line 1, column 8: only a function can follow `|`",
    ),
    ("{{ print (1 }}", "line 1, column 13: `)` is expected here"),
    ("{{ print 1) }}", "line 1, column 11: `}}` is expected here"),
    (
        "{{ \"abc }}",
        "line 1, column 4: the string is never closed",
    ),
    (
        "{{ \"a\nb\" }}",
        "line 1, column 4: the string is never closed",
    ),
    ("{{ `abc }}", "line 1, column 4: the string is never closed"),
    (
        "{{ \"\\q\" }}",
        "line 1, column 5: `\\q` is not an escape sequence",
    ),
    (
        "{{ \"\\ud800\" }}",
        "line 1, column 5: `\\u` is not an escape sequence",
    ),
    (
        "{{ 'ab' }}",
        "line 1, column 4: single quotes hold one character; strings have double quotes",
    ),
    ("{{ 1x }}", "line 1, column 4: `1x` is not a number"),
    (
        "{{ 99999999999999999999x }}",
        "line 1, column 4: `99999999999999999999x` is not a number",
    ),
    ("{{ ! }}", "line 1, column 4: `!` is not expected here"),
    ("{{/* a }}", "line 1, column 1: the comment is never closed"),
    (
        "{{/* a */ b }}",
        "line 1, column 1: a comment must end with `*/}}`",
    ),
    (
        "{{ template \"x\" . }}",
        "line 1, column 4: no template \"x\" is defined",
    ),
    (
        "{{ template x }}",
        "line 1, column 13: the name of a template in quotes is expected here",
    ),
    (
        "{{ define \"x\" }}",
        "line 1, column 4: `define` has no `end`",
    ),
    (
        "{{ if true }}{{ define \"x\" }}{{ end }}{{ end }}",
        "line 1, column 17: `define` must not be inside of another action",
    ),
    (
        "{{ break }}",
        "line 1, column 4: `break` is outside of a range",
    ),
    (
        "{{ print if }}",
        "line 1, column 10: `if` is not expected here",
    ),
    (
        "{{ range $a, b := .Data }}{{ end }}",
        "line 1, column 16: a second variable is expected here",
    ),
];

#[test]
fn mistakes_are_reported_with_line_and_column() {
    for (source, mistake) in MISTAKES {
        let parsed = Template::parse_with(source, OPTIONS).map_err(|error| error.to_string());
        assert_eq!(parsed.err().as_deref(), Some(*mistake), "{source}");
    }
}

#[test]
fn names_below_the_top_are_not_checked() {
    for source in [
        "{{ with .Data }}{{ .anything }}{{ end }}",
        "{{ define \"x\" }}{{ .anything }}{{ $.other }}{{ end }}{{ template \"x\" .Data }}",
        "{{ range .Data.list }}{{ .a.b }}{{ else }}{{ .Email }}{{ end }}",
    ] {
        Template::parse_with(source, OPTIONS).unwrap();
    }
}

#[test]
fn without_fields_all_names_are_allowed() {
    Template::parse("{{ .Anything }}{{ $.Other }}").unwrap();
}
