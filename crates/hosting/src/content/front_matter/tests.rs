//! Tests of front matter.

use jiff::civil::date;

use super::{FrontMatter, parse, split};

fn front_matter(file: &str) -> Result<FrontMatter, Vec<(usize, String)>> {
    let faults = |faults: Vec<crate::base::parse::Fault>| {
        let pairs = faults.into_iter().map(|fault| (fault.line, fault.message));
        pairs.collect::<Vec<_>>()
    };
    let parts = split(file).map_err(|fault| faults(vec![fault]))?;
    let parsed = parse(&parts).map(|(front_matter, _)| front_matter);
    parsed.map_err(faults)
}

fn warnings(file: &str) -> Vec<(usize, String)> {
    let (_, warnings) = parse(&split(file).unwrap()).unwrap();
    let pairs = warnings.into_iter();
    pairs
        .map(|warning| (warning.line, warning.message))
        .collect()
}

#[test]
fn names_that_are_not_fields_are_named() {
    assert_eq!(
        warnings("---\nDraft: true\ntitle: a\ncolour: red\ntags: [x]\n---\n"),
        [
            (2, "`Draft` is not a field; the field is `draft`".to_owned()),
            (4, "`colour` is not a field and has no effect".to_owned()),
        ]
    );
    assert_eq!(
        warnings("+++\ntitle = 'a'\nREADTIME = 3\n[extra]\ncolour = 'red'\n+++\n"),
        [(
            3,
            "`READTIME` is not a field; the field is `readTime`".to_owned()
        )]
    );
    let all = "---\ntitle: a\nsummary: b\nlastmod: 2026-01-01\nauthors: [c]\ncategories: [d]\nimage: e.png\n\
               reading_time: 1\nalias: /f\ndraft: false\nslug: g\npath: /h\nlayout: i\n---\n";
    assert_eq!(warnings(all), []);
}

#[test]
fn covers_are_paths_or_urls_of_the_web() {
    let cover = |text: &str| front_matter(&format!("---\ntitle: a\ncover: {text:?}\n---\n"));
    for good in [
        "",
        "a.png",
        "/images/a.png",
        "../a.png?v=1:2",
        "https://cdn.example/a.png",
        "HTTP://cdn.example:81/a.png",
        "//cdn.example/a.png",
        "images/a:b.png",
        "?a:b",
    ] {
        assert_eq!(cover(good).unwrap().cover, good);
    }
    for bad in [
        "javascript:alert(1)",
        "JavaScript:alert(1)//https://a",
        "java\tscript:alert(1)",
        "data:image/svg+xml,<svg/>",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a/b",
        "a:b.png",
    ] {
        let message = "`cover`: expected a path, or a URL that starts with https:// or http://";
        assert_eq!(cover(bad).unwrap_err(), [(3, message.to_owned())], "{bad}");
    }
}

#[test]
fn yaml_and_toml_say_the_same() {
    let yaml = front_matter(
        "---\ntitle: \"Hello: world\"\ndescription: >\n  Two\n  lines\ndate: 2026-03-04\nauthor: [Ada, Bob]\n\
         category: News\ncover: /images/a.png\nreadTime: 3\ndraft: true\naliases:\n  - /old\n  - /older/\n\
         tags: [x]\n---\nText",
    )
    .unwrap();
    let toml = front_matter(
        "+++\ntitle = \"Hello: world\"\ndescription = \"Two lines\"\ndate = 2026-03-04\nauthor = [\"Ada\", \"Bob\"]\n\
         category = \"News\"\ncover = \"/images/a.png\"\nread_time = 3\ndraft = true\naliases = [\"/old\", \"/older/\"]\n\
         [extra]\nx = 1\n+++\nText",
    )
    .unwrap();
    assert_eq!(yaml, toml);
    assert_eq!(yaml.title, "Hello: world");
    assert_eq!(yaml.author, "Ada, Bob");
    assert_eq!(yaml.read_time.as_deref(), Some("3 min read"));
    assert_eq!(yaml.aliases, ["/old", "/older"]);
    assert_eq!(yaml.date.unwrap().day, date(2026, 3, 4));
}

#[test]
fn the_body_is_everything_after_the_fence_byte_for_byte() {
    for (file, body) in [
        ("---\ntitle: a\n---\n\n Text \n\n", "\n Text \n\n"),
        ("---\r\ntitle: a\r\n---\r\nText\r\n", "Text\r\n"),
        ("\u{feff}---\ntitle: a\n---\nText", "Text"),
        ("---\ntitle: a\n---", ""),
        ("---\ntitle: a\n...\nText\n---\n", "Text\n---\n"),
        ("+++\ntitle = 'a'\n+++\n---\n", "---\n"),
    ] {
        assert_eq!(split(file).unwrap().body, body, "{file:?}");
    }
}

#[test]
fn every_fault_has_its_line() {
    for (file, expected) in [
        (
            "# Hello\n",
            vec![(
                1,
                "no front matter: the first line is neither `---` nor `+++`",
            )],
        ),
        (
            "",
            vec![(
                1,
                "no front matter: the first line is neither `---` nor `+++`",
            )],
        ),
        (
            "---\ntitle: a\n",
            vec![(1, "front matter without end: no line is `---`")],
        ),
        ("---\n---\n", vec![(1, "`title` is missing")]),
        (
            "---\nauthor: a\ndate: tomorrow\ndraft: maybe\ntitle:\n---\n",
            vec![
                (
                    3,
                    "`date`: expected a day such as 2026-11-15, found `tomorrow`",
                ),
                (4, "`draft`: expected true or false"),
                (5, "`title` is missing"),
            ],
        ),
        (
            "+++\ntitle = \"a\"\naliases = [\"old\"]\nslug = \"a/b\"\n+++\n",
            vec![
                (3, "alias `old` must start with `/`"),
                (4, "`slug`: `a/b` is not a single path segment"),
            ],
        ),
        (
            "---\ntitle: {a: 1}\npath: ../x\n---\n",
            vec![
                (2, "`title`: expected text"),
                (2, "`title` is missing"),
                (3, "`path` must start with `/`"),
            ],
        ),
    ] {
        let faults = front_matter(file).unwrap_err();
        let faults: Vec<_> = faults
            .iter()
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(faults, expected, "{file:?}");
    }
}

#[test]
fn broken_syntax_names_the_line_of_the_file() {
    for (file, line) in [
        ("---\ntitle: a\nauthor: [b\n---\n", 3..=3),
        ("---\ntitle: a\ntitle: b\n---\n", 3..=3),
        ("---\ntitle: \"a\n---\n", 2..=4),
        ("---\n- a\n---\n", 2..=2),
        ("---\na: &a [x]\nb: *c\n---\n", 3..=3),
        ("+++\ntitle = \"a\"\nauthor = \n+++\n", 3..=3),
        ("+++\ntitle = \"a\"\ntitle = \"b\"\n+++\n", 3..=3),
    ] {
        let faults = front_matter(file).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(line.contains(&faults[0].0), "{file:?}: {faults:?}");
        assert!(faults[0].1.starts_with("front matter: "), "{faults:?}");
    }
}

#[test]
fn aliases_that_multiply_are_refused_and_not_expanded() {
    let mut bomb = "---\ntitle: a\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        bomb = format!("{bomb}a{level}: &a{level} [{before}]\n");
    }
    bomb.push_str("---\n");
    assert!(front_matter(&bomb).is_err());
    let large = format!("---\ntitle: {}\n---\n", "x".repeat(70_000));
    assert!(front_matter(&large).is_err());
}
