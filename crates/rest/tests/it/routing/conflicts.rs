//! Route conflicts, which are reported at startup, and their messages.

use innkeeper_rest::{App, RestApi, resource};

macro_rules! resources {
    ($($name:ident $base:literal $path:literal ($($argument:ident)?);)*) => {$(
        struct $name;

        #[resource($base)]
        impl $name {
            #[get($path)]
            fn answer(&self $(, $argument: &str)?) -> &'static str {
                $(let _ = $argument;)?
                stringify!($name)
            }
        }
    )*};
}

resources! {
    Users "/users" "/{id}" (id);
    People "/users" "/{name}" (name);
    Numbered "/users" "/{id:[0-9]+}" (id);
    AlsoNumbered "/users" "/{number:[0-9]+}" (number);
    Nested "/v2/users" "/{id}" (id);
    Prefixed "/files" "/@{name}" (name);
    Suffixed "/files" "/{file}.json" (file);
    Both "/files" "/a{file}z" (file);
    Tail "/files" "/{*rest}" (rest);
    Single "/files" "/{one}" (one);
    Parts "/files" "/{one}/parts" (one);
}

fn problems(app: App) -> Vec<String> {
    app.build().unwrap_err().problems().to_vec()
}

/// Checks that the problem names the method, its route and this file.
fn assert_names(problem: &str, resource: &str, template: &str) {
    let start = format!("{resource}::answer (GET {template}, at ");
    let place = problem.split(&start).nth(1).unwrap_or_default();
    let (file, _) = place.split_once(':').unwrap_or_default();
    assert!(
        file.ends_with("conflicts.rs"),
        "`{resource}` is not named in: {problem}"
    );
}

#[test]
fn two_resources_with_one_route_are_refused_and_both_places_named() {
    let problems = problems(App::new().mount("/api", RestApi::new(Users).with(People)));
    let [problem] = &problems[..] else {
        panic!("{problems:#?}")
    };
    assert!(
        problem.starts_with("GET /users/{name} is declared twice: by Users::answer"),
        "{problem}"
    );
    assert_names(problem, "Users", "/users/{id}");
    assert_names(problem, "People", "/users/{name}");
}

#[test]
fn equal_expressions_conflict_and_different_ones_do_not() {
    let app = App::new().mount("/", RestApi::new(Numbered).with(AlsoNumbered));
    let problem = &problems(app)[0];
    assert_names(problem, "Numbered", "/users/{id:[0-9]+}");
    assert_names(problem, "AlsoNumbered", "/users/{number:[0-9]+}");
    let app = App::new().mount("/", RestApi::new(Numbered).with(Users));
    assert!(app.build().is_ok());
}

#[test]
fn one_path_in_two_mounts_is_refused_and_both_places_named() {
    let app = App::new()
        .mount("/api", RestApi::new(Nested))
        .mount("/api/v2", RestApi::new(Users));
    let problem = &problems(app)[0];
    assert!(
        problem.ends_with("the router cannot tell them apart"),
        "{problem}"
    );
    assert_names(problem, "Nested", "/v2/users/{id}");
    assert_names(problem, "Users", "/users/{id}");
}

#[test]
fn text_before_one_parameter_cannot_stand_beside_text_after_another() {
    let app = App::new().mount("/", RestApi::new(Prefixed).with(Suffixed));
    let problem = &problems(app)[0];
    assert_names(problem, "Prefixed", "/files/@{name}");
    assert_names(problem, "Suffixed", "/files/{file}.json");
    let app = App::new().mount("/", RestApi::new(Suffixed).with(Both));
    let problem = &problems(app)[0];
    assert_names(problem, "Suffixed", "/files/{file}.json");
    assert_names(problem, "Both", "/files/a{file}z");
}

#[test]
fn a_tail_cannot_stand_beside_a_parameter() {
    let app = App::new().mount("/", RestApi::new(Tail).with(Single));
    let problem = &problems(app)[0];
    assert_names(problem, "Tail", "/files/{*rest}");
    assert_names(problem, "Single", "/files/{one}");
    let app = App::new().mount("/", RestApi::new(Tail).with(Suffixed));
    let problem = &problems(app)[0];
    assert_names(problem, "Tail", "/files/{*rest}");
    assert_names(problem, "Suffixed", "/files/{file}.json");
}

#[test]
fn a_parameter_stands_beside_text_and_parameters_with_text() {
    let app = App::new().mount("/", RestApi::new(Prefixed).with(Single).with(Users));
    assert!(app.build().is_ok());
    let app = App::new().mount("/", RestApi::new(Prefixed).with(Parts));
    assert!(app.build().is_ok(), "in either order");
    let app = App::new().mount("/", RestApi::new(Parts).with(Prefixed));
    assert!(app.build().is_ok(), "in either order");
    let app = App::new().mount("/", RestApi::new(Suffixed).with(Single));
    assert!(app.build().is_ok());
    let app = App::new().mount("/", RestApi::new(Tail).with(Prefixed));
    assert!(app.build().is_ok());
}

#[test]
fn two_mounts_with_one_prefix_are_refused() {
    let app = App::new()
        .mount("/api", RestApi::new(Users))
        .handler("/api/", async |_| "pong");
    assert_eq!(problems(app), ["two mounts have the prefix `/api`"]);
    let app = App::new()
        .mount("/", RestApi::new(Users))
        .mount("", RestApi::new(Single));
    assert_eq!(problems(app), ["two mounts have the prefix `/`"]);
}

#[test]
fn a_prefix_is_plain_text_that_starts_with_a_slash() {
    for prefix in ["api", "/{org}", "/a//b", "//", "/a?b", "/a b", "/a%20b"] {
        let app = App::new().mount(prefix, RestApi::new(Users));
        assert_eq!(
            problems(app),
            [format!(
                "`{prefix}` is not a prefix: a prefix starts with `/` and has no parameters"
            )]
        );
    }
}

#[test]
fn all_problems_are_reported_at_once() {
    let app = App::new()
        .mount("api", RestApi::new(Users))
        .mount("/a", RestApi::new(Users).with(People))
        .mount("/b", RestApi::new(Tail).with(Single))
        .mount("/b", RestApi::new(Users));
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 4, "{error}");
    assert_eq!(error.to_string().lines().count(), 4);
}
