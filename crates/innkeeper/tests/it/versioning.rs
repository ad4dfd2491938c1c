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
        "The database schema belongs to the server. Clients use the API and the tokens, and neither change tables nor \
         rely on them",
        "database objects, REST API, structure of tokens (JWT), settings | new columns",
        "REST API, structure of tokens, settings | claims, endpoints",
        "What is deprecated keeps working** for the next few minor releases, endpoints and settings alike",
        "As long as the notice is written, what it is about works",
        "A new release accepts the access tokens of the one before it until they expire",
    ];
    for promise in promises {
        assert!(page.contains(promise), "the page does not say: {promise}");
    }
}
