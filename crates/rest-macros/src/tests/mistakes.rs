//! One case for each mistake: its error message, and that the block survives.

mod arguments;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Returns the error messages of an expansion.
fn messages(tokens: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(tokens).unwrap();
    file.items
        .into_iter()
        .filter_map(|item| match item {
            syn::Item::Macro(item)
                if item
                    .mac
                    .path
                    .to_token_stream()
                    .to_string()
                    .contains("compile_error") =>
            {
                Some(item.mac.parse_body::<syn::LitStr>().unwrap().value())
            }
            _ => None,
        })
        .collect()
}

/// Expands a block and compares the beginnings of its messages, all of them and in order.
fn assert_told(arguments: &str, item: &str, expected: &[&str]) {
    let tokens = crate::expand::expand(arguments.parse().unwrap(), &item.parse().unwrap());
    let text = tokens.to_string();
    assert!(
        text.starts_with("impl") || !item.starts_with("impl"),
        "the block is gone: {text}"
    );
    assert!(
        !text.contains("match __call"),
        "code in spite of a mistake: {item}"
    );
    let told = messages(tokens);
    assert_eq!(told.len(), expected.len(), "{item}: {told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(
            told.starts_with(expected),
            "{item}:\n{told}\nshould be\n{expected}"
        );
        assert!(
            told.contains([';', ':']),
            "{told} does not say what to write"
        );
    }
}

/// Checks the message for one method in a resource at `/x`.
fn assert_method(method: &str, expected: &str) {
    assert_told("\"/x\"", &format!("impl X {{ {method} }}"), &[expected]);
}

#[test]
fn settings() {
    let block = "impl X { #[get] fn a() {} }";
    let cases = [
        (
            "",
            "the base path is missing; write `#[resource(\"/path\")]`",
        ),
        (
            "x",
            "expected string literal; write `#[resource(\"/path\")]`",
        ),
        ("\"x\"", "a path starts with `/`; write `\"/x\"`"),
        (
            "\"/x\", remote",
            "unknown setting `remote`; write `#[resource(\"/path\")]`",
        ),
        ("\"/x\" local", "expected `,`; write"),
        ("\"/x\", crate = 1", "expected"),
    ];
    for (arguments, expected) in cases {
        assert_told(arguments, block, &[expected]);
    }
}

#[test]
fn the_item() {
    let cases = [
        (
            "struct X;",
            "`#[resource]` cannot be used on a type; move it to its `impl` block",
        ),
        (
            "fn x() {}",
            "`#[resource]` cannot be used on a function; make it a method of an `impl` block",
        ),
        (
            "trait X {}",
            "`#[resource]` cannot be used on a trait; write the methods in an `impl` block",
        ),
        (
            "mod x {}",
            "`#[resource]` cannot be used on a module; move it to an `impl` block",
        ),
        (
            "impl T for X { #[get] fn a() {} }",
            "`#[resource]` reads the methods of a type, not of a trait",
        ),
        (
            "impl [u8] { #[get] fn a() {} }",
            "a resource is a named type; write `impl Name { … }`",
        ),
        (
            "impl X {}",
            "no method has a verb; add `#[get(\"/path\")]` or another verb to one",
        ),
        ("impl X { fn a() {} }", "no method has a verb;"),
    ];
    for (item, expected) in cases {
        assert_told("\"/x\"", item, &[expected]);
    }
    let misplaced = "#[timeout(1)] impl X { #[get] fn a() {} }";
    let told = messages(crate::expand::expand(
        "\"/x\"".parse().unwrap(),
        &misplaced.parse().unwrap(),
    ));
    assert_eq!(told, ["`#[timeout]` belongs on a method; move it there"]);
}

#[test]
fn verbs() {
    let cases = [
        (
            "#[get(1)] fn a() {}",
            "expected string literal; write `#[get]` or `#[get(\"/path\")]`",
        ),
        ("#[get = \"/a\"] fn a() {}", "expected"),
        (
            "#[get(\"a\")] fn a() {}",
            "a path starts with `/`; write `\"/a\"`",
        ),
        (
            "#[get(\"/{id}\")] fn a() {}",
            "`{id}` is in the path but no argument is named `id`; add `id: …` to the arguments or remove it from the path",
        ),
        (
            "#[get] #[get(\"/\")] fn a() {}",
            "the method has this GET twice; remove one of them",
        ),
        (
            "#[route(path = \"/a\")] fn a() {}",
            "the method is missing; write `#[route(method = \"QUERY\", path = \"/path\")]`",
        ),
        (
            "#[route(method = \"A B\")] fn a() {}",
            "`A B` is not an HTTP method; write",
        ),
        (
            "#[route(verb = \"GET\")] fn a() {}",
            "unknown setting `verb`; write",
        ),
        (
            "#[route(method = \"A\", method = \"B\")] fn a() {}",
            "`method` is given twice; write",
        ),
        (
            "#[route] fn a() {}",
            "expected attribute arguments in parentheses",
        ),
        (
            "#[route(method = \"QUERY\")] fn a(q: u8) {}",
            "`#[route]` implies no source for `q`; write `#[param] q`",
        ),
        (
            "#[get] #[post] fn a(q: u8) {}",
            "`q` would be a request parameter of GET and the entity of POST; write `#[param] q`",
        ),
    ];
    for (method, expected) in cases {
        assert_method(method, expected);
    }
}

#[test]
fn signatures() {
    let cases = [
        (
            "#[get] fn a(self) {}",
            "many requests share the resource; write `&self`",
        ),
        (
            "#[get] fn a(&mut self) {}",
            "many requests share the resource; write `&self`",
        ),
        (
            "#[get] fn a(self: Arc<Self>) {}",
            "many requests share the resource; write `&self`",
        ),
        (
            "#[get] fn a<T>(q: T) {}",
            "a handler cannot be generic; write a type instead of `T`",
        ),
        (
            "#[get] fn a<const N: usize>() {}",
            "a handler cannot be generic; write a value instead of `N`",
        ),
        (
            "#[get] fn a(q: impl Read) {}",
            "the type of an argument must be named; write a type",
        ),
        (
            "#[get] fn a((q, r): (u8, u8)) {}",
            "an argument of a handler is a plain name; write `name: Type`",
        ),
        (
            "#[get] fn a(_: u8) {}",
            "an argument of a handler is a plain name; write `name: Type`",
        ),
        (
            "#[get] fn a(ref q: u8) {}",
            "an argument of a handler is a plain name; write `name: Type`",
        ),
    ];
    for (method, expected) in cases {
        assert_method(method, expected);
    }
}

#[test]
fn modifiers_and_references() {
    let cases = [
        (
            "#[get] unsafe fn a() {}",
            "a handler is called with data from clients; remove `unsafe`",
        ),
        (
            "#[get] const fn a() {}",
            "a handler cannot be `const`; remove it",
        ),
        (
            "#[get] extern \"C\" fn a() {}",
            "a handler is an ordinary function; remove `extern`",
        ),
        (
            "#[get] fn a(q: &mut String) {}",
            "an argument is borrowed from the request and cannot be changed; write `mut name: Type`",
        ),
        (
            "#[get] fn a(q: &'static str) {}",
            "an argument lives as long as the request; write `&str`",
        ),
    ];
    for (method, expected) in cases {
        assert_method(method, expected);
    }
}

#[test]
fn annotations() {
    let cases = [
        (
            "#[responds(99)]",
            "99 is not a status between 100 and 599; write `#[responds(200)]`",
        ),
        (
            "#[responds(600)]",
            "600 is not a status between 100 and 599; write",
        ),
        (
            "#[responds(\"a\")]",
            "expected integer literal; write `#[responds(200)]`",
        ),
        ("#[security]", "expected attribute arguments in parentheses"),
        (
            "#[security(bearer, key)]",
            "expected parentheses; write `#[security(scheme)]`",
        ),
        (
            "#[security(bearer(admin))]",
            "expected string literal; write `#[security(scheme)]`",
        ),
        (
            "#[consumes(\"json\")]",
            "`json` is not a media type; write one such as `\"application/json\"`",
        ),
        (
            "#[produces(\"a/b/c\")]",
            "`a/b/c` is not a media type; write one such as `\"application/json\"`",
        ),
        (
            "#[produces()]",
            "the media type is missing; write `#[produces(\"application/json\")]`",
        ),
    ];
    for (attribute, expected) in cases {
        assert_method(&format!("#[get] {attribute} fn a() {{}}"), expected);
    }
}

#[test]
fn notes_and_limits() {
    let cases = [
        (
            "#[meta(a)]",
            "expected `=`; write `#[meta(name = \"text\", other = 1)]`",
        ),
        (
            "#[meta(a = b'x')]",
            "a value is a string, a number, `true` or `false`; write",
        ),
        (
            "#[meta(a = 1, a = 2)]",
            "`a` is given twice; keep one of them",
        ),
        ("#[meta()]", "the entry is missing; write"),
        ("#[filter]", "expected attribute arguments in parentheses"),
        (
            "#[body_limit()]",
            "unexpected end of input, expected an expression; write `#[body_limit(1024 * 1024)]`",
        ),
        (
            "#[timeout(1)] #[timeout(2)]",
            "`#[timeout]` is given twice; keep one of them",
        ),
        (
            "#[detached(1)]",
            "`#[detached]` takes no arguments; write `#[detached]`",
        ),
        (
            "#[param]",
            "`#[param]` describes an argument; write it before the argument's name",
        ),
    ];
    for (attribute, expected) in cases {
        assert_method(&format!("#[get] {attribute} fn a() {{}}"), expected);
    }
    assert_told(
        "\"/x\", local",
        "impl X { #[get] #[detached] fn a() {} }",
        &[
            "`#[detached]` runs the method on another task, which a local resource does not allow; remove it or `local`",
        ],
    );
}

#[test]
fn methods_without_verb() {
    let block = "impl X {
        #[get] fn a() {}
        #[responds(404)] fn b() {}
        fn c(#[param] q: u8) {}
    }";
    let expected = [
        "`b` has `#[responds]` but no verb; add `#[get(\"/path\")]`",
        "`c` has `#[param]` but no verb; add `#[get(\"/path\")]`",
    ];
    assert_told("\"/x\"", block, &expected);
}

#[test]
fn routes_side_by_side() {
    let pair = |first: &str, second: &str| {
        format!(
            "impl X {{ #[get({first:?})] fn a(p: u8) {{}} #[get({second:?})] fn b(p: u8) {{}} }}"
        )
    };
    let told = |first: &str, second: &str| {
        let tokens = crate::expand::expand(
            "\"/x\"".parse().unwrap(),
            &pair(first, second).parse().unwrap(),
        );
        messages(tokens)
    };
    assert_eq!(
        told("/a", "/a"),
        [
            "GET `/x/a` of `b` is already answered by GET `/x/a` of `a`; change the path or the verb of one"
        ]
    );
    assert_eq!(
        told("/{p}", "/{p:[0-9]+}"),
        [""; 0],
        "different expressions are tried in order"
    );
    assert_eq!(told("/{p:a}", "/{p:a}").len(), 1);
    assert_eq!(
        told("/{p}", "/a"),
        [""; 0],
        "a literal wins over a parameter"
    );
    for (first, second) in [("/{p}", "/{*p}"), ("/a{p}", "/{p}b"), ("/a{p}", "/b{p}c")] {
        let told = told(first, second);
        assert_eq!(told.len(), 1, "{first} {second}");
        assert!(told.concat().contains("conflicts with"), "{told:?}");
    }
    let apart =
        "impl X { #[cfg(a)] #[get] fn a() {} #[cfg(not(a))] #[get] fn b() {} #[post] fn c() {} }";
    let tokens = crate::expand::expand("\"/x\"".parse().unwrap(), &apart.parse().unwrap());
    assert_eq!(messages(tokens), [""; 0]);
}

#[test]
fn names_differ_but_shapes_do_not() {
    let block = "impl X { #[get(\"/{p}\")] fn a(p: u8) {} #[get(\"/{q}\")] fn b(q: u8) {} }";
    assert_told(
        "\"/x\"",
        block,
        &["GET `/x/{q}` of `b` is already answered by GET `/x/{p}` of `a`;"],
    );
}

#[test]
fn base_path_parameters_need_arguments() {
    let block = "impl X { #[get] #[post] fn a() {} #[get(\"/{id}\")] fn b(org: u8, id: u8) {} }";
    assert_told(
        "\"/{org}\"",
        block,
        &["`{org}` is in the base path but no argument of `a` is named `org`; add `org: …`"],
    );
    let twice = "impl X { #[get(\"/{org}\")] fn a(org: u8) {} }";
    assert_told(
        "\"/{org}\"",
        twice,
        &["`{org}` is in the path twice; give each parameter its own name"],
    );
}

#[test]
fn all_mistakes_of_a_block_are_reported_at_once() {
    let block = "impl X {
        #[get(\"/{id}\")] fn a(&mut self) {}
        #[post] fn b(#[parm] q: u8, r: u8, s: &'static str) {}
        #[put(\"c\")] #[responds(1)] fn c() {}
    }";
    let expected = [
        "unknown setting `nope`;",
        "many requests share the resource;",
        "unknown argument attribute `#[parm]`;",
        "an argument lives as long as the request;",
        "a path starts with `/`;",
        "1 is not a status between 100 and 599;",
        "`{id}` is in the path",
        "`q` and `r` both take",
        "`s` is the entity",
    ];
    let tokens = crate::expand::expand("\"/x\", nope".parse().unwrap(), &block.parse().unwrap());
    let told = messages(tokens);
    for expected in expected {
        assert!(
            told.iter().any(|told| told.starts_with(expected)),
            "{expected} in {told:#?}"
        );
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn attributes_outside_a_resource_name_the_place() {
    let told =
        |name: &str, item: &str| messages(crate::misuse::expand(name, item.parse().unwrap()));
    assert_eq!(
        told("get", "fn a(#[param] q: u8) {}"),
        ["`#[get]` only works inside an `impl` block marked `#[resource(\"/path\")]`"]
    );
    assert_eq!(
        told("filter", "#[resource(\"/x\")] impl X { }"),
        ["`#[filter]` must follow `#[resource]`; move it below"]
    );
}

/// Whether an expansion with a mistake still implements `Resource` for the type.
fn stands_in(arguments: &str, item: &str) -> bool {
    let tokens = crate::expand::expand(arguments.parse().unwrap(), &item.parse().unwrap());
    assert!(!messages(tokens.clone()).is_empty(), "{item}");
    tokens.to_string().contains(":: Resource for")
}

#[test]
fn a_mistake_leaves_a_resource_that_can_be_mounted() {
    for (arguments, item) in [
        ("\"/x\"", "impl X { #[get] fn a(&mut self) {} }"),
        (
            "\"/x\", local",
            "impl<S: Store> a::X<S> { #[got] fn a() {} }",
        ),
        ("\"x\"", "impl X { #[get] fn a() {} }"),
        ("\"/x\"", "impl Show for X { #[get] fn a() {} }"),
    ] {
        assert!(stands_in(arguments, item), "{item}");
    }
    // The crate or the type is unknown.
    for (arguments, item) in [
        ("", "impl X { #[get] fn a() {} }"),
        ("\"/x\", locl", "impl X { #[get] fn a() {} }"),
        ("\"/x\"", "impl (X, Y) { #[get] fn a() {} }"),
        ("\"/x\"", "impl<X> X { #[get] fn a(self) {} }"),
        ("\"/x\"", "struct X;"),
    ] {
        assert!(!stands_in(arguments, item), "{item}");
    }
}

#[test]
fn only_a_value_may_outlive_the_request() {
    let told = "an argument lives as long as the request; write `&str`";
    for argument in [
        "q: &'static str",
        "#[header(\"q\")] q: &'static str",
        "#[value] #[convert(Upper)] q: &'static str",
    ] {
        assert_method(&format!("#[get] fn a({argument}) {{}}"), told);
    }
    for arguments in [
        "#[value] q: &'static str",
        "#[value(\"q\")] q: &'static [u8], #[request] r: Request",
        "#[value] q: Option<&'static str>, #[request] r: Request",
    ] {
        let block = format!("impl X {{ #[get] fn a({arguments}) {{}} }}");
        let tokens = crate::expand::expand("\"/x\"".parse().unwrap(), &block.parse().unwrap());
        assert_eq!(messages(tokens), [""; 0], "{arguments}");
    }
}
