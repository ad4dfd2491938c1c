use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use jiff::SignedDuration;
use url::Url;

use super::{Kind, Reader, Section, Setting, markdown};
use crate::secret::Secret;

const TABLE: &[Section] = &[
    Section {
        title: "Basics",
        settings: &[
            Setting::new("PORT", Kind::Port, "The port.")
                .default(&["8081"])
                .aliases(&["API_PORT"])
                .bare(),
            Setting::new("SITE_URL", Kind::Url, "The site.").required("always"),
            Setting::new("EXP", Kind::Seconds, "How long.").default(&["3600", "86400"]),
            Setting::new("PAUSE", Kind::SecondsOrDuration, "How rarely."),
            Setting::new("BOX", Kind::Duration, "How long at most."),
            Setting::new("COLOUR", Kind::OneOf(&["red", "Green"]), "Which one.").default(&["red"]),
            Setting::new("OPEN", Kind::Boolean, "Whether a|b."),
            Setting::new("HOSTS", Kind::List, "Who."),
            Setting::new("LABELS", Kind::Map, "What."),
        ],
    },
    Section {
        title: "Others",
        settings: &[
            Setting::new("PASS", Kind::Text, "The password.").secret(),
            Setting::new("TOKEN_COUNT", Kind::Integer, "A hidden number.").secret(),
            Setting::new("OLD", Kind::Text, "Nothing.").deprecated(),
            Setting::new("X_<WHO>_ON", Kind::Boolean, "Whether.").words(&["A", "B"]),
            Setting::new("SOME_DAY", Kind::Text, "A plan.").not_yet(),
            Setting::new("Y_<ANY>_ON", Kind::Boolean, "Whether."),
        ],
    },
];

const PREFIXES: &[&str] = &["NEW_", "OLD_"];

fn pairs(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn reader(variables: &[(&str, &str)]) -> Reader {
    Reader::new(TABLE, PREFIXES).with_environment(pairs(variables))
}

fn faults(reader: &mut Reader) -> String {
    reader.finish().expect_err("a fault").to_string()
}

#[test]
fn the_environment_wins_over_the_file_and_a_given_file_over_both() {
    let folder = tempfile::tempdir().unwrap();
    let given = folder.path().join("given.env");
    std::fs::write(&given, "NEW_EXP=3").unwrap();
    let base = || {
        Reader::new(TABLE, PREFIXES)
            .with_env_file("NEW_EXP=1\nNEW_PAUSE=1")
            .with_environment(pairs(&[("NEW_EXP", "2")]))
    };

    let mut reader = base();
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 2);
    assert_eq!(reader.get::<SignedDuration>("PAUSE").as_secs(), 1);

    let mut reader = base().with_given_file(&given).unwrap();
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 3);

    let missing = base().with_given_file(&folder.path().join("nowhere.env"));
    assert_eq!(missing.unwrap_err().kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn the_process_and_its_folder_are_sources() {
    let folder = tempfile::tempdir().unwrap();
    let read = |folder: &std::path::Path| {
        let mut reader = Reader::new(TABLE, PREFIXES).from_process(folder);
        let exp: SignedDuration = reader.get("EXP");
        (exp.as_secs(), reader.finish())
    };
    assert_eq!(read(folder.path()), (3600, Ok(())));
    std::fs::write(folder.path().join(".env"), "NEW_EXP=5\n").unwrap();
    assert_eq!(read(folder.path()), (5, Ok(())));
    std::fs::write(folder.path().join(".env"), "NEW_EXP=5\n<oops>\n").unwrap();
    assert_eq!(
        read(folder.path()).1.unwrap_err().to_string(),
        ".env line 2: expected the name of a setting"
    );
}

#[test]
fn prefixes_count_in_their_order_then_aliases_then_the_bare_name() {
    let all = [
        ("NEW_PORT", "1"),
        ("NEW_API_PORT", "2"),
        ("OLD_PORT", "3"),
        ("OLD_API_PORT", "4"),
        ("PORT", "5"),
    ];
    for number in 0..all.len() {
        let port: u16 = reader(&all[number..]).get("PORT");
        assert_eq!(usize::from(port), number + 1);
    }
    // Neither an alias nor another setting is read bare.
    let mut reader = reader(&[("API_PORT", "6"), ("EXP", "6")]);
    assert_eq!(reader.get::<u16>("PORT"), 8081);
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 3600);
}

#[test]
fn the_environment_wins_under_any_of_its_names() {
    let mut reader = Reader::new(TABLE, PREFIXES)
        .with_env_file("NEW_PORT=1")
        .with_environment(pairs(&[("PORT", "5")]));
    assert_eq!(reader.get::<u16>("PORT"), 5);
}

#[test]
fn an_empty_value_is_none_and_hides_the_file() {
    let mut reader = Reader::new(TABLE, PREFIXES)
        .with_env_file("NEW_PAUSE=1\nNEW_EXP=1")
        .with_environment(pairs(&[("NEW_PAUSE", ""), ("OLD_EXP", "")]));
    assert_eq!(reader.optional::<SignedDuration>("PAUSE"), None);
    assert!(!reader.is_set("PAUSE"));
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 1);
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn defaults_come_from_the_chosen_column() {
    let mut reader = reader(&[]);
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 3600);
    reader.use_column(1);
    assert_eq!(reader.get::<SignedDuration>("EXP").as_secs(), 86400);
    assert_eq!(reader.get::<u16>("PORT"), 8081);
    assert_eq!(reader.optional::<String>("OLD"), None);
}

#[test]
fn booleans_have_exactly_twelve_spellings() {
    for text in ["1", "t", "T", "TRUE", "true", "True"] {
        assert!(reader(&[("NEW_OPEN", text)]).get::<bool>("OPEN"), "{text}");
    }
    for text in ["0", "f", "F", "FALSE", "false", "False"] {
        let mut reader = reader(&[("NEW_OPEN", text)]);
        assert_eq!(reader.optional("OPEN"), Some(false), "{text}");
    }
    for text in ["yes", "on", "tRUE", "2"] {
        let mut reader = reader(&[("NEW_OPEN", text)]);
        assert_eq!(reader.optional::<bool>("OPEN"), None);
        assert_eq!(
            faults(&mut reader),
            format!("NEW_OPEN: expected true or false, found `{text}`")
        );
    }
}

#[test]
fn each_kind_is_read() {
    let mut reader = reader(&[
        ("NEW_SITE_URL", "https://example.com/a"),
        ("NEW_PAUSE", "1m30s"),
        ("NEW_BOX", "1h"),
        ("NEW_COLOUR", "GREEN"),
        ("NEW_HOSTS", "a, b,,c"),
        ("NEW_LABELS", "a:1, b:2:3"),
        ("NEW_PASS", " kept as it is "),
        ("NEW_TOKEN_COUNT", "7"),
    ]);
    let site: Option<Url> = reader.required("SITE_URL");
    assert_eq!(site.unwrap().as_str(), "https://example.com/a");
    assert_eq!(reader.get::<SignedDuration>("PAUSE").as_secs(), 90);
    assert_eq!(reader.get::<SignedDuration>("BOX").as_hours(), 1);
    assert_eq!(reader.get::<String>("COLOUR"), "Green");
    assert_eq!(reader.get::<Vec<String>>("HOSTS"), ["a", "b", "c"]);
    assert_eq!(
        reader.get::<BTreeMap<String, String>>("LABELS"),
        BTreeMap::from([("a".into(), "1".into()), ("b".into(), "2:3".into())])
    );
    assert_eq!(
        reader.get::<Secret<String>>("PASS").reveal(),
        " kept as it is "
    );
    assert_eq!(reader.get::<f64>("TOKEN_COUNT").to_string(), "7");
    assert_eq!(reader.get::<PathBuf>("HOSTS"), PathBuf::from("a, b,,c"));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn all_faults_are_reported_together_under_the_names_the_operator_wrote() {
    let mut reader = reader(&[
        ("PORT", "70000"),
        ("OLD_EXP", "1h"),
        ("NEW_PAUSE", "-1"),
        ("NEW_BOX", "90"),
        ("NEW_COLOUR", "blue"),
        ("NEW_LABELS", "a"),
    ]);
    assert_eq!(reader.get::<u16>("PORT"), 8081);
    reader.get::<SignedDuration>("EXP");
    reader.get::<SignedDuration>("PAUSE");
    reader.get::<SignedDuration>("BOX");
    reader.get::<String>("COLOUR");
    reader.get::<BTreeMap<String, String>>("LABELS");
    reader.required::<Url>("SITE_URL");
    reader.fault("OLD", "must go");
    assert_eq!(
        faults(&mut reader).lines().collect::<Vec<_>>(),
        [
            "PORT: expected a port number, found `70000`",
            "OLD_EXP: expected a whole number of seconds, found `1h`",
            "NEW_PAUSE: expected seconds, or a duration such as `1h30m`, found `-1`",
            "NEW_BOX: expected a duration such as `90s` or `1h30m`, found `90`",
            "NEW_COLOUR: expected one of red, Green, found `blue`",
            "NEW_LABELS: expected pairs `key:value` with commas, found `a`",
            "NEW_SITE_URL: is required",
            "NEW_OLD: must go",
        ]
    );
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_value_that_is_wrong_is_not_also_missing() {
    let mut reader = reader(&[("NEW_SITE_URL", "no\u{7}where")]);
    assert_eq!(reader.required::<Url>("SITE_URL"), None);
    assert_eq!(
        faults(&mut reader),
        "NEW_SITE_URL: expected an absolute URL, found `no\u{fffd}where`"
    );
}

#[test]
fn secrets_are_in_no_message() {
    let mut reader = reader(&[("NEW_TOKEN_COUNT", "hunter2"), ("NEW_PASS", "hunter2")])
        .with_env_file("NEW_PASS 'hunter2'");
    reader.get::<u32>("TOKEN_COUNT");
    let parse = |text: &str, _: &Setting| Err::<(), _>(format!("{text} is bad"));
    reader.parsed("PASS", parse);
    reader.warn("PASS", "is short");
    let shown = format!("{reader:?}");
    let warnings = reader.take_warnings();
    assert_eq!(warnings, ["NEW_PASS: is short"]);
    let faults = faults(&mut reader);
    assert_eq!(
        faults.lines().collect::<Vec<_>>(),
        [
            ".env line 1: expected `=` after the name",
            "NEW_TOKEN_COUNT: expected a whole number from 0",
            "NEW_PASS: expected text",
        ]
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn values_that_are_not_text_are_faults_only_where_they_are_ours() {
    let broken = || OsString::from_vec(vec![0xff]);
    let names = ["NEW_EXP", "PORT", "EXP", "NEW_UNKNOWN"];
    let variables = names.map(|name| (OsString::from(name), broken()));
    let mut reader = Reader::new(TABLE, PREFIXES).with_os_environment(variables.into_iter());
    assert_eq!(
        faults(&mut reader),
        "NEW_EXP: is not valid UTF-8\nPORT: is not valid UTF-8"
    );
}

#[test]
fn unknown_names_get_the_nearest_known_one() {
    let reader = reader(&[
        ("NEW_SITE_ULR", "x"),
        ("NEW_WHOLLY_DIFFERENT", "x"),
        ("NEW_X_C_ON", "x"),
        ("NEW_X_A_ON", "1"),
        ("NEW_Y_WHATEVER_ON", "1"),
        ("NEW_EMPTY", ""),
        ("OLD_TYPO", "x"),
        ("NEW_SERVICE_HOST", "10.0.0.1"),
    ]);
    assert_eq!(
        reader.unknown_names(),
        [
            "NEW_SITE_ULR is not a setting; did you mean NEW_SITE_URL?",
            "NEW_WHOLLY_DIFFERENT is not a setting",
            "NEW_X_C_ON is not a setting; did you mean NEW_X_A_ON?",
        ]
    );
}

#[test]
fn names_under_the_old_prefix_are_listed_when_they_were_used() {
    let mut reader = reader(&[("OLD_EXP", "1"), ("OLD_PASS", "1"), ("PORT", "1")]);
    reader.get::<SignedDuration>("EXP");
    reader.get::<u16>("PORT");
    assert_eq!(reader.old_names(), ["OLD_EXP"]);
}

#[test]
fn a_prefix_counts_as_used_only_by_settings_that_exist() {
    let reader = reader(&[("NEW_THING", "1"), ("OLD_X_B_ON", "1"), ("NEW_EXP", "")]);
    assert_eq!(reader.any_with_prefix("NEW_"), None);
    assert_eq!(reader.any_with_prefix("OLD_"), Some("OLD_X_B_ON".into()));
}

#[test]
fn patterns_are_read_by_their_full_names_and_list_their_words() {
    let mut reader = reader(&[("NEW_Y_SB_ON", "true"), ("OLD_Y_FLY_ON", "0")]);
    let words = reader.words_of("Y_<ANY>_ON");
    assert_eq!(words.into_iter().collect::<Vec<_>>(), ["FLY", "SB"]);
    assert!(reader.get::<bool>("Y_SB_ON"));
    assert!(!reader.get::<bool>("Y_FLY_ON"));
    assert!(!reader.get::<bool>("X_A_ON"));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn the_variables_of_a_container_platform_are_not_settings() {
    let mut reader = reader(&[("NEW_PORT", "tcp://10.0.0.1:80"), ("PORT", "9000")]);
    assert_eq!(reader.get::<u16>("PORT"), 9000);
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn asking_for_what_the_table_lacks_is_a_fault() {
    let mut reader = reader(&[]);
    reader.get::<String>("NOWHERE");
    assert_eq!(
        faults(&mut reader),
        "NOWHERE: is not in the table of settings"
    );
    assert!(reader.never_asked().contains(&"PORT"));
    reader.get::<u16>("API_PORT");
    assert!(!reader.never_asked().contains(&"PORT"));
}

#[test]
fn the_page_shows_every_setting() {
    let page = markdown(TABLE, &["std", "other"]);
    for line in [
        "## Basics",
        "| Setting | Value | Default, std | Default, other | Meaning |",
        "| `PORT`, `API_PORT`, also bare | a port number | `8081` | `8081` | The port. |",
        "| `SITE_URL` | an absolute URL | required | required | The site. |",
        "| `EXP` | a whole number of seconds | `3600` | `86400` | How long. |",
        "| `OPEN` | true or false | – | – | Whether a\\|b. |",
        "| `PASS` | text | – | – | The password. Secret. |",
        "| `OLD` | text | – | – | Nothing. Deprecated. |",
        "| `SOME_DAY` | text | – | – | **Not yet.** A plan. |",
        "| `X_<WHO>_ON` | true or false | – | – | Whether. |",
        "`<WHO>` is one of `A`, `B`.",
    ] {
        assert!(page.lines().any(|l| l == line), "{line}\n{page}");
    }
    assert!(markdown(TABLE, &[""]).contains("| Setting | Value | Default | Meaning |"));
}
