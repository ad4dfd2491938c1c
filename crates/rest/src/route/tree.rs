//! The paths of an application as a tree of segments.
//!
//! matchit decides which paths conflict, here and in the attribute, and this tree finds what matchit
//! would find. It does so in fewer steps, because it keeps no names of parameters and returns the
//! ranges of their texts instead of copies.

use super::table::ParamSpans;

/// Maps a path to the value that was inserted for it.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Paths without parameters, by their length: most requests of many applications are for one.
    fixed: Vec<Vec<(Box<str>, u32)>>,
}

/// The segments that may follow.
#[derive(Debug, Default)]
struct Node {
    /// The value of the path that ends here.
    value: Option<u32>,
    /// Fixed segments, sorted.
    literals: Vec<(Box<[u8]>, usize)>,
    /// Parameters with text around them, those with more text first.
    affixed: Vec<(Affixes, usize)>,
    /// A parameter that is a whole segment.
    param: Option<usize>,
    /// A parameter that takes the rest of the path.
    tail: Option<u32>,
}

/// The text before and after a parameter.
#[derive(Debug, PartialEq, Eq)]
struct Affixes {
    before: Box<[u8]>,
    after: Box<[u8]>,
}

/// Up to how many fixed segments are compared one by one instead of searched.
const LINEAR_SEARCH_LIMIT: usize = 8;

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            fixed: Vec::new(),
        }
    }
}

impl Tree {
    /// Adds a path that the router has accepted.
    pub(crate) fn insert(&mut self, path: &str, value: u32) {
        if path.starts_with('/') && !path.contains('{') {
            let longest = self.fixed.len().max(path.len() + 1);
            self.fixed.resize_with(longest, Vec::new);
            if let Some(paths) = self.fixed.get_mut(path.len()) {
                paths.push((path.into(), value));
            }
            return;
        }
        let mut place = 0;
        let segments = path.strip_prefix('/').unwrap_or(path).split('/');
        for segment in segments {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(place) else {
                return;
            };
            if segment.starts_with("{*") {
                node.tail = Some(value);
                return;
            }
            place = node.child(segment, next);
            if place == next {
                self.nodes.push(Node::default());
            }
        }
        if let Some(node) = self.nodes.get_mut(place) {
            node.value = Some(value);
        }
    }

    /// Returns the value that was inserted for this path and writes the ranges of its parameters.
    pub(crate) fn find(&self, path: &str, params: &mut ParamSpans) -> Option<u32> {
        params.clear();
        // Fixed text takes precedence over parameters in every segment.
        let fixed = self.fixed.get(path.len()).map_or(&[][..], Vec::as_slice);
        if let Some((_, value)) = fixed.iter().find(|(known, _)| **known == *path) {
            return Some(*value);
        }
        let (b'/', rest) = path.as_bytes().split_first()? else {
            return None;
        };
        self.walk(0, 1, rest, params)
    }

    /// Continues at a node; `rest` is `None` after the last segment of the path.
    fn step(
        &self,
        node: usize,
        start: usize,
        rest: Option<&[u8]>,
        params: &mut ParamSpans,
    ) -> Option<u32> {
        match rest {
            Some(rest) => self.walk(node, start, rest, params),
            None => self.nodes.get(node)?.value,
        }
    }

    /// Matches the rest of the path, which starts at this offset, from a node. Works on bytes: no byte
    /// of a longer UTF-8 sequence equals a slash.
    fn walk(&self, node: usize, start: usize, rest: &[u8], params: &mut ParamSpans) -> Option<u32> {
        let node = self.nodes.get(node)?;
        let length = rest.iter().position(|&byte| byte == b'/');
        let (segment, after) = match length.and_then(|length| rest.split_at_checked(length)) {
            Some((segment, after)) => (segment, after.get(1..)),
            None => (rest, None),
        };
        let next = start + segment.len() + 1;
        if let Some(child) = node.literal(segment)
            && let Some(value) = self.step(child, next, after, params)
        {
            return Some(value);
        }
        for (affixes, child) in &node.affixed {
            if let Some(inner) = affixes.around(segment) {
                let from = start + affixes.before.len();
                params.push(from, from + inner);
                if let Some(value) = self.step(*child, next, after, params) {
                    return Some(value);
                }
                params.pop();
            }
        }
        if let Some(child) = node.param
            && !segment.is_empty()
        {
            params.push(start, start + segment.len());
            if let Some(value) = self.step(child, next, after, params) {
                return Some(value);
            }
            params.pop();
        }
        let value = node.tail.filter(|_| !rest.is_empty())?;
        params.push(start, start + rest.len());
        Some(value)
    }
}

impl Node {
    /// Returns the node after a segment: a known one, or `next` for a new one.
    fn child(&mut self, segment: &str, next: usize) -> usize {
        let Some((before, rest)) = segment.split_once('{') else {
            let text = segment.as_bytes();
            return match self
                .literals
                .binary_search_by(|(known, _)| (**known).cmp(text))
            {
                Ok(place) => self.literals.get(place).map_or(next, |(_, child)| *child),
                Err(place) => {
                    self.literals.insert(place, (text.into(), next));
                    next
                }
            };
        };
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        if before.is_empty() && after.is_empty() {
            return *self.param.get_or_insert(next);
        }
        let affixes = Affixes {
            before: before.as_bytes().into(),
            after: after.as_bytes().into(),
        };
        if let Some((_, child)) = self.affixed.iter().find(|(known, _)| *known == affixes) {
            return *child;
        }
        self.affixed.push((affixes, next));
        self.affixed
            .sort_by_key(|(affixes, _)| std::cmp::Reverse(affixes.length()));
        next
    }

    fn literal(&self, segment: &[u8]) -> Option<usize> {
        if self.literals.len() > LINEAR_SEARCH_LIMIT {
            let place = self
                .literals
                .binary_search_by(|(text, _)| (**text).cmp(segment));
            return self.literals.get(place.ok()?).map(|(_, child)| *child);
        }
        let mut literals = self.literals.iter();
        literals.find_map(|(text, child)| (**text == *segment).then_some(*child))
    }
}

impl Affixes {
    fn length(&self) -> usize {
        self.before.len() + self.after.len()
    }

    /// Returns the length of the parameter in a segment that has this text around it.
    fn around(&self, segment: &[u8]) -> Option<usize> {
        let inner = segment
            .strip_prefix(&*self.before)?
            .strip_suffix(&*self.after)?;
        (!inner.is_empty()).then_some(inner.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segment() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a", "b", "ab", "{p}", "@{p}", "{p}.json", "v{p}x", "{*p}", "",
        ])
    }

    /// Paths with their parameters named by position, as the attribute names them.
    fn template() -> impl Strategy<Value = String> {
        prop::collection::vec(segment(), 1..5).prop_map(|segments| {
            let mut count = 0;
            let mut path = String::new();
            for segment in segments {
                path.push('/');
                path.push_str(&segment.replace('p', &format!("p{count}")));
                count += usize::from(segment.contains('{'));
            }
            path
        })
    }

    fn path() -> impl Strategy<Value = String> {
        let segment = prop::sample::select(vec![
            "a", "b", "ab", "c", "@a", "@", "a.json", ".json", "v1x", "vx", "", "p0", "@a.json",
        ]);
        prop::collection::vec(segment, 1..6).prop_map(|segments| format!("/{}", segments.join("/")))
    }

    /// Whether a path matches a template, computed in the plainest way.
    fn fits(template: &str, path: &str) -> bool {
        let (mut expected, mut given) = (template.split('/'), path.split('/'));
        loop {
            match (expected.next(), given.next()) {
                (None, None) => return true,
                (Some(segment), Some(text)) if segment.starts_with("{*") => {
                    return !text.is_empty() || given.next().is_some();
                }
                (Some(segment), Some(text)) => {
                    let pattern = segment
                        .split_once('{')
                        .map_or(text == segment, |(a, rest)| {
                            let b = rest.split_once('}').unwrap().1;
                            let inner = text.strip_prefix(a).and_then(|text| text.strip_suffix(b));
                            inner.is_some_and(|inner| !inner.is_empty())
                        });
                    if !pattern {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }

    proptest! {
        /// The tree finds whatever matchit finds. It also finds what matchit misses when a parameter
        /// with text around it leads nowhere and one without would match.
        #[test]
        fn answers_as_the_router_does(
            templates in prop::collection::vec(template(), 1..12),
            paths in prop::collection::vec(path(), 1..24),
        ) {
            let mut router = matchit::Router::new();
            let mut tree = Tree::default();
            let mut taken = Vec::new();
            for (number, template) in (0..).zip(&templates) {
                if router.insert(template, number).is_ok() {
                    tree.insert(template, number);
                    taken.push((number, template));
                }
            }
            for path in paths {
                let mut params = ParamSpans::default();
                let found = tree.find(&path, &mut params);
                if let Ok(expected) = router.at(&path) {
                    prop_assert_eq!(found, Some(*expected.value), "{}", path);
                    for (index, (_, value)) in expected.params.iter().enumerate() {
                        prop_assert_eq!(params.get(&path, index), Some(value), "{}", path);
                    }
                }
                let mut fitting = taken.iter().filter(|(_, template)| fits(template, &path));
                match found {
                    Some(number) => prop_assert!(fitting.any(|(one, _)| *one == number), "{}", path),
                    None => prop_assert!(fitting.next().is_none(), "{}", path),
                }
            }
        }
    }
}
