//! The routes at one path: from a method to a route.

use std::collections::HashMap;
use std::fmt::Write as _;

use http::Method;
use http::header::HeaderValue;
use regex::Regex;

use super::{Route, Verb};

/// The byte ranges of the parameters in a matched path.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParamSpans {
    /// Enough for nearly every path; further ranges go to `overflow`.
    inline: [(u32, u32); 4],
    count: u32,
    #[expect(
        clippy::box_collection,
        reason = "a pointer, because hardly any path has more"
    )]
    overflow: Option<Box<Vec<(u32, u32)>>>,
}

impl ParamSpans {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.overflow = None;
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "no head is as large as four gigabytes"
    )]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        let range = (start as u32, end as u32);
        match self.inline.get_mut(self.count as usize) {
            Some(slot) => *slot = range,
            None => self.overflow.get_or_insert_default().push(range),
        }
        self.count += 1;
    }

    pub(super) fn pop(&mut self) {
        self.count = self.count.saturating_sub(1);
        if let Some(overflow) = &mut self.overflow {
            overflow.pop();
        }
    }

    /// Returns the parameter with this number, still encoded.
    pub(crate) fn get<'p>(&self, path: &'p str, index: usize) -> Option<&'p str> {
        if index >= self.count as usize {
            return None;
        }
        let (start, end) = match self.inline.get(index) {
            Some(range) => *range,
            None => *self.overflow.as_ref()?.get(index - self.inline.len())?,
        };
        path.get(start as usize..end as usize)
    }
}

/// A route and its regular expressions.
#[derive(Debug)]
struct RouteEntry<T> {
    route: &'static Route,
    /// The regular expressions, by parameter number.
    constraints: Vec<(usize, Regex)>,
    value: T,
}

/// The routes that share a path: one per method, or several that differ in their regular
/// expressions.
#[derive(Debug)]
pub(crate) struct MethodTable<T> {
    entries: Vec<RouteEntry<T>>,
    /// The number of the entry for each common verb; used if no entry has constraints.
    common: [u16; Verb::COMMON],
    constrained: bool,
    allow: HeaderValue,
    automatic_options: bool,
}

const NO_ENTRY: u16 = u16::MAX;

/// The result of looking up a method.
#[derive(Debug)]
pub(crate) enum RouteMatch<'t, T> {
    Route(&'static Route, &'t T),
    /// No route matches: the regular expressions of all of them refuse the parameters.
    NotFound,
    /// No route has this method; the value is for `Allow`.
    NotAllowed(HeaderValue),
    /// An OPTIONS request that no route answers; the value is for `Allow`.
    Options(HeaderValue),
}

impl<T> MethodTable<T> {
    pub(crate) fn new(automatic_options: bool) -> Self {
        Self {
            entries: Vec::new(),
            common: [NO_ENTRY; Verb::COMMON],
            constrained: false,
            allow: HeaderValue::from_static(""),
            automatic_options,
        }
    }

    /// Adds a route, or returns the route it conflicts with.
    pub(crate) fn add(&mut self, route: &'static Route, value: T) -> Result<(), Conflict> {
        let twin = self.entries.iter().find(|entry| {
            entry.route.verb == route.verb && patterns(entry.route).eq(patterns(route))
        });
        if let Some(twin) = twin {
            return Err(Conflict::Routes(twin.route, route));
        }
        let mut constraints = Vec::new();
        for (index, param) in route.params.iter().enumerate() {
            let Some(pattern) = param.pattern else {
                continue;
            };
            let regex = Regex::new(&format!(r"\A(?:{pattern})\z"))
                .map_err(|error| Conflict::Pattern(route, error.to_string()))?;
            constraints.push((index, regex));
        }
        self.constrained |= !constraints.is_empty();
        self.entries.push(RouteEntry {
            route,
            constraints,
            value,
        });
        self.index();
        Ok(())
    }

    fn index(&mut self) {
        self.common = [NO_ENTRY; Verb::COMMON];
        for (number, entry) in self.entries.iter().enumerate() {
            let slot = entry
                .route
                .verb
                .index()
                .and_then(|verb| self.common.get_mut(verb));
            if let Some(slot) = slot {
                *slot = u16::try_from(number).unwrap_or(NO_ENTRY);
            }
        }
        let [get, .., head, _] = &mut self.common;
        if *head == NO_ENTRY {
            *head = *get;
        }
        self.allow = self.allow_of(self.entries.iter());
    }

    /// Returns the methods of these entries, including those answered without being declared.
    fn allow_of<'e>(&self, entries: impl Iterator<Item = &'e RouteEntry<T>>) -> HeaderValue
    where
        T: 'e,
    {
        let mut verbs: Vec<&str> = Vec::new();
        let mut add = |verb| {
            if !verbs.contains(&verb) {
                verbs.push(verb);
            }
        };
        for entry in entries {
            add(entry.route.verb.as_str());
            if entry.route.verb == Verb::Get {
                add("HEAD");
            }
        }
        if self.automatic_options {
            add("OPTIONS");
        }
        HeaderValue::from_str(&verbs.join(", ")).unwrap_or(HeaderValue::from_static(""))
    }

    /// Returns the route for this method; `param` returns the decoded text of a path parameter.
    pub(crate) fn find(
        &self,
        method: &Method,
        param: impl Fn(usize) -> Option<String>,
    ) -> RouteMatch<'_, T> {
        let index = Verb::index_of(method);
        if self.constrained {
            return self.find_constrained(method, param);
        }
        let number = match index {
            Some(verb) => self.common.get(verb).copied().unwrap_or(NO_ENTRY),
            None => self.find_other(method),
        };
        match self.entries.get(usize::from(number)) {
            Some(entry) => RouteMatch::Route(entry.route, &entry.value),
            None => self.no_match(method, self.allow.clone()),
        }
    }

    fn find_other(&self, method: &Method) -> u16 {
        let slot = self
            .entries
            .iter()
            .position(|entry| entry.route.verb.as_str() == method.as_str());
        slot.and_then(|slot| u16::try_from(slot).ok())
            .unwrap_or(NO_ENTRY)
    }

    /// Tries the entries in the order of declaration, so that a narrow expression can come before a
    /// wide one.
    fn find_constrained(
        &self,
        method: &Method,
        param: impl Fn(usize) -> Option<String>,
    ) -> RouteMatch<'_, T> {
        let fits = |entry: &&RouteEntry<T>| {
            entry
                .constraints
                .iter()
                .all(|(index, regex)| param(*index).is_some_and(|text| regex.is_match(&text)))
        };
        let fitting: Vec<&RouteEntry<T>> = self.entries.iter().filter(fits).collect();
        if fitting.is_empty() {
            return RouteMatch::NotFound;
        }
        let named = |name: &str| {
            fitting
                .iter()
                .find(|entry| entry.route.verb.as_str() == name)
                .copied()
        };
        let entry = named(method.as_str()).or_else(|| {
            if *method == Method::HEAD {
                named("GET")
            } else {
                None
            }
        });
        match entry {
            Some(entry) => RouteMatch::Route(entry.route, &entry.value),
            None => self.no_match(method, self.allow_of(fitting.into_iter())),
        }
    }

    fn no_match(&self, method: &Method, allow: HeaderValue) -> RouteMatch<'_, T> {
        if self.automatic_options && *method == Method::OPTIONS {
            RouteMatch::Options(allow)
        } else {
            RouteMatch::NotAllowed(allow)
        }
    }
}

fn patterns(route: &'static Route) -> impl Iterator<Item = Option<&'static str>> {
    route.params.iter().map(|param| param.pattern)
}

/// Why a route cannot be added.
#[derive(Debug)]
pub(crate) enum Conflict {
    /// Two routes have the same verb and shape.
    Routes(&'static Route, &'static Route),
    /// The router cannot tell two templates apart.
    Shapes(String, &'static Route),
    /// A regular expression cannot be used.
    Pattern(&'static Route, String),
}

impl Conflict {
    /// Describes the conflict and where both routes are declared.
    pub(crate) fn explain(&self, routes: &HashMap<String, &'static Route>) -> String {
        let mut text = String::new();
        let result = match self {
            Self::Routes(first, second) => write!(
                text,
                "{} is declared twice: by {} and by {}",
                title(second),
                described(first),
                described(second)
            ),
            Self::Shapes(other, route) => {
                let other = routes
                    .get(other)
                    .map_or_else(|| format!("`{other}`"), |r| described(r));
                write!(
                    text,
                    "{} conflicts with {other}: the router cannot tell them apart",
                    described(route)
                )
            }
            Self::Pattern(route, problem) => write!(text, "{}: {problem}", described(route)),
        };
        debug_assert!(result.is_ok(), "writing to a string does not fail");
        text
    }
}

fn title(route: &Route) -> String {
    format!("{} {}", route.verb, route.template)
}

fn described(route: &Route) -> String {
    format!(
        "{}::{} ({}, at {})",
        route.resource,
        route.operation,
        title(route),
        route.declared_at
    )
}
