//! Cycles of a graph of files.

use std::collections::{BTreeMap, BTreeSet};

/// The strongly connected components of more than one file, largest first.
pub(super) fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let mut forward: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut backward: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        forward.entry(from).or_default().push(to);
        backward.entry(to).or_default().push(from);
    }
    // Kosaraju: files in the order in which a walk along the edges leaves them, then walks against the
    // edges from the file that was left last.
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for &file in forward.keys() {
        walk(file, &forward, &mut seen, &mut order);
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for &file in order.iter().rev() {
        let mut component = Vec::new();
        walk(file, &backward, &mut seen, &mut component);
        if component.len() > 1 {
            found.push(
                component
                    .into_iter()
                    .map(str::to_owned)
                    .collect::<BTreeSet<_>>(),
            );
        }
    }
    found.sort_by_key(|component| std::cmp::Reverse(component.len()));
    found
}

/// Walks along `edges` from `file`, and appends each new file once everything behind it was visited.
fn walk<'a>(
    file: &'a str,
    edges: &BTreeMap<&'a str, Vec<&'a str>>,
    seen: &mut BTreeSet<&'a str>,
    order: &mut Vec<&'a str>,
) {
    if !seen.insert(file) {
        return;
    }
    for &next in edges.get(file).into_iter().flatten() {
        walk(next, edges, seen, order);
    }
    order.push(file);
}

#[test]
fn a_cycle_is_found_and_a_chain_is_not() {
    let edge = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")].map(edge);
    let found = cycles(&BTreeSet::from(edges));
    assert_eq!(found, [BTreeSet::from(["a", "b", "c"].map(str::to_owned))]);
}
