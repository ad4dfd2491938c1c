//! `docs/versioning.md` says what stays compatible between two releases.

#[test]
fn the_page_makes_every_promise_of_the_specification() {
    let page = include_str!("../../../../docs/versioning.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let promises = [
        "Semantic Versioning",
        "new columns in tables, the order of columns, constraints that are not unique may go, new claims in tokens",
        "claims, endpoints and external providers may go after a deprecation notice; the schema may change a lot",
        "| nothing is promised | everything |",
        "for at least two major releases or two weeks",
        "only for serious security issues",
        "Code that uses the server as a library may have to change with any release",
    ];
    for promise in promises {
        assert!(page.contains(promise), "the page does not say: {promise}");
    }
}
