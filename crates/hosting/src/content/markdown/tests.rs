//! Tests of rendering, also of hostile Markdown.

use proptest::prelude::*;

use super::{plain_text, render};

fn html(source: &str) -> String {
    render(source).unwrap().html
}

#[test]
fn githubs_extensions_are_rendered() {
    for (source, expected) in [
        ("~~gone~~", "<p><del>gone</del></p>\n"),
        (
            "https://example.com",
            "<p><a href=\"https://example.com\" rel=\"noopener noreferrer\">https://example.com</a></p>\n",
        ),
        (
            "| a | b |\n|:-:|--:|\n| 1 | 2 |\n",
            "<table><thead><tr><th align=\"center\">a</th><th align=\"right\">b</th></tr></thead><tbody>\n\
             <tr><td align=\"center\">1</td><td align=\"right\">2</td></tr>\n</tbody></table>\n",
        ),
        (
            "- [x] done\n- [ ] open\n",
            "<ul>\n<li><label><input disabled=\"\" type=\"checkbox\" checked=\"\">\ndone</label></li>\n\
             <li><label><input disabled=\"\" type=\"checkbox\">\nopen</label></li>\n</ul>\n",
        ),
        (
            "> [!WARNING]\n> Hot\n",
            "\n<div class=\"markdown-alert markdown-alert-warning\">\n\
             <p class=\"markdown-alert-title\">Warning</p>\n<p>Hot</p>\n</div>\n",
        ),
    ] {
        assert_eq!(html(source), expected, "{source}");
    }
}

#[test]
fn footnotes_are_numbered_by_mention_and_listed_at_the_end() {
    let html =
        html("One[^b], two[^a], one again[^b].\n\n[^a]: Second.\n[^b]: First.\n[^c]: Unused.\n");
    assert!(html.contains("<a href=\"#fn-1\" id=\"fnref-1\""), "{html}");
    assert!(html.contains("id=\"fnref-1-2\""), "{html}");
    let list = &html[html.find("<section").unwrap()..];
    assert!(
        list.find("First.").unwrap() < list.find("Second.").unwrap(),
        "{html}"
    );
    assert!(list.contains("<li id=\"fn-1\">"), "{html}");
    assert!(!html.contains("Unused"), "{html}");
}

#[test]
fn headings_have_anchors_and_make_the_table_of_contents() {
    let rendered = render(
        "# Hello, World!\n\n## A `b` *c*\n\n## Same\n\n## Same\n\n## Same-1\n\n### Grüße\n\n# ?\n",
    )
    .unwrap();
    let toc: Vec<_> = rendered
        .toc
        .iter()
        .map(|entry| (entry.level, entry.id.as_str(), entry.text.as_str()))
        .collect();
    assert_eq!(
        toc,
        [
            (1, "hello-world", "Hello, World!"),
            (2, "a-b-c", "A b c"),
            (2, "same", "Same"),
            (2, "same-1", "Same"),
            (2, "same-1-1", "Same-1"),
            (3, "grüße", "Grüße"),
            (1, "section", "?"),
        ]
    );
    for entry in &rendered.toc {
        assert!(
            rendered.html.contains(&format!(" id=\"{}\">", entry.id)),
            "{}",
            rendered.html
        );
        assert!(
            rendered.html.contains(&format!("href=\"#{}\"", entry.id)),
            "{}",
            rendered.html
        );
    }
}

#[test]
fn code_has_classes_and_no_styles() {
    let html = html("```rust\n// hi\nfn main() { let a = \"<b>\"; }\n```\n");
    assert!(
        html.contains("<pre><code class=\"language-rust\">"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hl-comment\">// hi\n</span>"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hl-function\">main</span>"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hl-string\">\"&lt;b&gt;\"</span>"),
        "{html}"
    );
    assert!(!html.contains("style"), "{html}");
    let unknown = super::render("```nonsense\n<a> & b\n```\n").unwrap().html;
    assert_eq!(
        unknown,
        "\n<pre><code class=\"language-nonsense\">&lt;a&gt; &amp; b\n</code></pre>\n"
    );
}

#[test]
fn nothing_that_acts_survives() {
    for source in [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
        "a <img src=x onerror=alert(1)> b",
        "[a](javascript:alert(1))",
        "[a](  JaVaScRiPt:alert(1))",
        "[a](java&#115;cript:alert(1))",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href=\"&#106;avascript:alert(1)\">x</a>",
        "![a](javascript:alert(1))",
        "<iframe src=//evil.example></iframe>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<math><mtext><table><mglyph><style><img src onerror=alert(1)>",
        "<style>body{display:none}</style>",
        "<p style=\"position:fixed\" class=\"admin\" id=\"root\">x</p>",
        "<form action=//evil.example><input type=password name=p></form>",
        "<object data=x></object><embed src=x><base href=//evil.example>",
        "<meta http-equiv=refresh content=0>",
        "```\"><script>alert(1)</script>\nx\n```\n",
        "<!-- <script>alert(1)</script> -->",
    ] {
        let html = html(source).to_lowercase();
        for forbidden in [
            "<script",
            "onerror",
            "onload",
            "href=\"javascript",
            "src=\"javascript",
            "data:text",
            "<iframe",
            "<style",
            "style=",
            "<form",
            "<object",
            "<embed",
            "<base",
            "<meta",
            "password",
            "admin",
            "id=\"root\"",
            "<svg",
        ] {
            assert!(!html.contains(forbidden), "{source}: {html}");
        }
    }
}

#[test]
fn what_is_harmless_stays() {
    let html = html(
        "H<sub>2</sub>O <kbd>Ctrl</kbd><br>\n\n<details><summary>More</summary>\n\nText\n\n</details>\n",
    );
    for kept in [
        "<sub>2</sub>",
        "<kbd>Ctrl</kbd>",
        "<br>",
        "<details><summary>More</summary>",
        "</details>",
    ] {
        assert!(html.contains(kept), "{html}");
    }
}

#[test]
fn what_would_cost_too_much_is_refused_with_a_line() {
    let table = format!(
        "Text\n\n{}\n{}\n{}",
        "|a".repeat(300),
        "|-".repeat(300),
        format!("{}\n", "|b".repeat(300)).repeat(300)
    );
    for (source, line, message) in [
        (
            format!("a\n\n{}", "> ".repeat(50_000)),
            3,
            "nested deeper than 100 levels",
        ),
        (
            format!("{}x", "- ".repeat(5_000)),
            1,
            "nested deeper than 100 levels",
        ),
        (table, 5, "more than 20000 table cells"),
        (
            "&".repeat(50_000),
            1,
            "too many of `&`, `<` and `>` in one piece of text",
        ),
        ("<b>".repeat(50_000), 1, "too much raw HTML: 50000 tags"),
        (
            format!("{}\n\n{}", "<i a=1>".repeat(500), "a\n\n".repeat(100_000)),
            1,
            "too much raw HTML: 500 tags",
        ),
    ] {
        let fault = render(&source).unwrap_err();
        assert_eq!(fault.message, message);
        assert!(fault.line >= line, "{} {}", fault.line, fault.message);
    }
}

#[test]
fn absurd_text_that_is_only_text_is_rendered() {
    for source in [
        "[".repeat(50_000),
        "*a ".repeat(50_000),
        "`".repeat(50_000),
        "\0\u{feff}\u{202e}".to_owned(),
        "![".repeat(20_000),
        "<".repeat(1_000),
        "&".repeat(5_000),
        format!(
            "```\n{}```\n",
            "&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&\n".repeat(10_000)
        ),
        String::new(),
    ] {
        render(&source).unwrap();
    }
}

#[test]
fn the_words_of_a_source_are_its_text() {
    let text = plain_text("# Title\n\nSome *text* and `code` <b>bold</b>\n\n```sh\nls -l\n```\n");
    let words: Vec<_> = text.split_whitespace().collect();
    assert_eq!(
        words,
        ["Title", "Some", "text", "and", "code", "bold", "ls", "-l"]
    );
}

/// The tags of a page, without their brackets.
///
/// Text that only looks like a tag has its `<` written as `&lt;`, so it is not among them.
fn tags(html: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut tag: Option<String> = None;
    let mut quoted = false;
    for character in html.chars() {
        match (&mut tag, character) {
            (None, '<') => tag = Some(String::new()),
            (None, _) => {}
            (Some(_), '>') if !quoted => tags.extend(tag.take()),
            (Some(inside), _) => {
                quoted ^= character == '"';
                inside.push(character);
            }
        }
    }
    assert_eq!(tag, None, "a tag without an end in {html}");
    tags
}

/// What a tag could do by itself, if it can do anything.
fn acts(tag: &str) -> Option<&'static str> {
    let name = tag.split([' ', '/']).next().unwrap_or_default();
    // Text in a value does nothing, whatever it looks like.
    let names: String = tag.split('"').step_by(2).collect();
    [
        (name == "script", "a script"),
        (name == "svg", "a drawing"),
        (tag.contains("=\"javascript:"), "an address that acts"),
        (names.contains(" on"), "a handler"),
    ]
    .into_iter()
    .find_map(|(found, what)| found.then_some(what))
}

#[test]
fn an_unfinished_tag_is_shown_as_text() {
    let html = html("<a href=\"javascript:");
    assert_eq!(html, "<p>&lt;a href=\"javascript:</p>\n");
    assert_eq!(tags(&html), ["p", "/p"]);
}

#[test]
fn what_acts_would_be_seen_in_a_page() {
    for (page, what) in [
        ("<p><script>1</script></p>", "a script"),
        ("<svg/>", "a drawing"),
        ("<a href=\"javascript:1\">", "an address that acts"),
        ("<img alt=\">\" onerror=\"1\">", "a handler"),
    ] {
        let found: Vec<_> = tags(page).iter().filter_map(|tag| acts(tag)).collect();
        assert_eq!(found, [what], "{page}");
    }
    let text = html("<a href=\"> onerror=\">");
    assert!(text.contains(" onerror="), "{text}");
    assert!(tags(&text).iter().all(|tag| acts(tag).is_none()), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_is_written_nothing_that_acts_comes_of_it(
        source in "([<>a-z!\\[\\]()#*`|\\-\\n =:\"'/&;_~@.\\\\0-9]|<script>|javascript:|onerror=|<svg|<a href=|<a href=\"javascript:|\">|</|\\[\\^1\\]|> \\[!NOTE\\]){0,200}"
    ) {
        if let Ok(rendered) = render(&source) {
            let html = rendered.html.to_lowercase();
            for tag in tags(&html) {
                prop_assert_eq!(acts(&tag), None, "<{}> in {}", tag, html);
            }
        }
        plain_text(&source);
    }
}
