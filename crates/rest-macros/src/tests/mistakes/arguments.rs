//! Mistakes in the arguments of a handler.

use super::assert_method;

#[test]
fn argument_attributes() {
    let cases = [
        (
            "#[parm] q: u8",
            "unknown argument attribute `#[parm]`; write one of `#[param]`, `#[value]`",
        ),
        (
            "#[a::b] q: u8",
            "unknown argument attribute `#[a::b]`; write one of",
        ),
        (
            "#[cfg(x)] q: u8",
            "`#[cfg]` on an argument would change the route; put it on two methods",
        ),
        (
            "#[param] #[header(\"x\")] q: u8",
            "`q` has two sources, `#[param]` and `#[header]`; keep one",
        ),
        (
            "#[param] #[param] q: u8",
            "`q` has two sources, `#[param]` and `#[param]`; keep one",
        ),
        (
            "#[param(q)] q: u8",
            "unknown setting `q`; write `#[param]`, `#[param(\"name\")]`",
        ),
        ("#[param(\"\")] q: u8", "the name is empty; write"),
        (
            "#[header] q: u8",
            "the name is missing; write `#[header(\"name\")]`",
        ),
        ("#[header(\"a b\")] q: u8", "`a b` is not a valid name; use"),
        (
            "#[cookie] q: u8",
            "the name is missing; write `#[cookie(\"name\")]`",
        ),
        (
            "#[value(default = 1)] q: u8",
            "a value has no default; write `Option<…>` as its type",
        ),
        (
            "#[request(1)] q: &Request",
            "`#[request]` takes no arguments; write `#[request]`",
        ),
    ];
    for (argument, expected) in cases {
        assert_method(&format!("#[get] fn a({argument}) {{}}"), expected);
    }
}

#[test]
fn conversions_and_bodies_on_get() {
    let cases = [
        (
            "#[separated_by(\"\")] q: Vec<u8>",
            "the separator is empty; write `#[separated_by(\",\")]`",
        ),
        (
            "#[separated_by] q: Vec<u8>",
            "expected attribute arguments in parentheses",
        ),
        (
            "#[separated_by(\",\")] #[separated_by(\";\")] q: Vec<u8>",
            "`q` has two `#[separated_by]`; keep one",
        ),
        (
            "#[convert] q: u8",
            "expected attribute arguments in parentheses",
        ),
        (
            "#[upgrade] #[convert(A)] q: Upgrade",
            "`#[upgrade]` has no text to convert; remove",
        ),
        (
            "#[request] #[convert(A)] q: &Request",
            "`#[request]` has no text to convert; remove",
        ),
        (
            "#[matrix] q: Map",
            "`#[matrix]` reads a segment of the path, but `{q}` is not in it; add `{q}`",
        ),
        (
            "#[entity] q: u8",
            "`#[entity]` needs a request body, and GET has none; use `#[post]`",
        ),
        (
            "#[body] q: u8",
            "`#[body]` needs a request body, and GET has none; use `#[post]`",
        ),
        (
            "#[stream] q: u8",
            "`#[stream]` needs a request body, and GET has none; use `#[post]`",
        ),
        (
            "#[request] q: Request, r: Option<&str>",
            "`r` borrows from the request that another argument takes; write an owned type",
        ),
        (
            "#[request] q: Request, r: &str",
            "`r` borrows from the request that another argument takes; write an owned type",
        ),
    ];
    for (argument, expected) in cases {
        assert_method(&format!("#[get] fn a({argument}) {{}}"), expected);
    }
}

#[test]
fn path_arguments() {
    let cases = [
        (
            "#[param] id: u8",
            "`id` already comes from the path; remove `#[param]`",
        ),
        (
            "#[param(default = 1)] id: u8",
            "`id` already comes from the path; remove `#[param]`",
        ),
        (
            "#[entity] id: u8",
            "`id` already comes from the path; remove `#[entity]`",
        ),
        (
            "#[matrix] #[separated_by(\",\")] id: u8",
            "`#[matrix]` already splits `id`; remove `#[separated_by]`",
        ),
    ];
    for (argument, expected) in cases {
        assert_method(
            &format!("#[get(\"/{{id}}\")] fn a({argument}) {{}}"),
            expected,
        );
    }
    assert_method(
        "#[get(\"/a{id}\")] fn a(#[matrix] id: u8) {}",
        "`#[matrix]` reads a whole segment; write `/{id}` in the path with nothing beside it",
    );
}

#[test]
fn bodies() {
    let cases = [
        (
            "q: u8, r: u8",
            "`q` and `r` both take the request body; keep one",
        ),
        (
            "#[entity] q: u8, #[body] r: String",
            "`q` and `r` both take the request body; keep one",
        ),
        (
            "q: u8, #[stream] r: Stream",
            "`q` and `r` both take the request body; keep one",
        ),
        (
            "#[request] q: Request, r: u8",
            "`q` and `r` both take the request body; keep one",
        ),
        (
            "q: &str",
            "`q` is the entity of a POST and is passed by value; write `q: Type` without `&`",
        ),
        (
            "#[entity] q: &str",
            "`#[entity]` passes an owned value; write `q: Type` without `&`",
        ),
        (
            "#[body] q: &[u8]",
            "`#[body]` can be borrowed as text only; write `q: &str`",
        ),
        (
            "#[stream] #[convert(A)] q: Stream",
            "`#[stream]` has no text to convert; remove",
        ),
    ];
    for (argument, expected) in cases {
        assert_method(&format!("#[post] fn a({argument}) {{}}"), expected);
    }
}

#[test]
fn rules() {
    let cases = [
        (
            "#[stream] #[validate(length(max = 1))] q: Body",
            "`#[stream]` has no value to validate; remove `#[validate]` from `q`",
        ),
        (
            "#[request] #[validate(ascii)] q: &Request",
            "`#[request]` has no value to validate; remove",
        ),
        (
            "#[validate(size(1))] q: u8",
            "unknown rule `size`; write one of `range(…)`, `length(…)`",
        ),
        (
            "#[validate(ascii)] #[validate(ascii)] q: String",
            "`ascii` is given twice; keep one",
        ),
        ("#[validate] q: u8", "expected attribute arguments"),
    ];
    for (argument, expected) in cases {
        assert_method(&format!("#[post] fn f(&self, {argument}) {{}}"), expected);
    }
}
