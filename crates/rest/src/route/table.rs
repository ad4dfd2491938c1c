//! Matching: from a method and a path to a route.

use std::collections::HashMap;
use std::fmt::Write as _;

use http::Method;
use http::header::HeaderValue;
use regex::Regex;

use super::{Route, Verb};

/// Where the parameters of a matched path are, as ranges of the path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Params {
    /// Enough for nearly every path; longer ones spill.
    few: [(u32, u32); 4],
    count: u32,
    #[expect(
        clippy::box_collection,
        reason = "a pointer, where hardly a path has more"
    )]
    more: Option<Box<Vec<(u32, u32)>>>,
}

impl Params {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.more = None;
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "no head is as large as four gigabytes"
    )]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        let range = (start as u32, end as u32);
        match self.few.get_mut(self.count as usize) {
            Some(slot) => *slot = range,
            None => self.more.get_or_insert_default().push(range),
        }
        self.count += 1;
    }

    pub(super) fn pop(&mut self) {
        self.count = self.count.saturating_sub(1);
        if let Some(more) = &mut self.more {
            more.pop();
        }
    }

    /// The parameter with this number, as it stands in the path.
    pub(crate) fn get<'p>(&self, path: &'p str, index: usize) -> Option<&'p str> {
        if index >= self.count as usize {
            return None;
        }
        let (start, end) = match self.few.get(index) {
            Some(range) => *range,
            None => *self.more.as_ref()?.get(index - self.few.len())?,
        };
        path.get(start as usize..end as usize)
    }
}

/// One route at a node, with what belongs to it.
#[derive(Debug)]
struct Entry<T> {
    route: &'static Route,
    /// Regular expressions, by parameter number.
    constraints: Vec<(usize, Regex)>,
    value: T,
}

/// The routes that share one place in the path tree: one per method, or several where regular
/// expressions tell them apart.
#[derive(Debug)]
pub(crate) struct MethodTable<T> {
    entries: Vec<Entry<T>>,
    /// For common verbs, the number of the entry that answers, when no entry has constraints.
    common: [u16; Verb::COMMON],
    constrained: bool,
    allow: HeaderValue,
    automatic_options: bool,
}

const NOBODY: u16 = u16::MAX;

/// What a table says about a method.
#[derive(Debug)]
pub(crate) enum RouteMatch<'t, T> {
    /// This route answers.
    Route(&'static Route, &'t T),
    /// Nothing is at this path: every route there asks for another shape of parameter.
    Nothing,
    /// The path is there, the method is not.
    NotAllowed(HeaderValue),
    /// The client asks which methods there are.
    Options(HeaderValue),
}

impl<T> MethodTable<T> {
    pub(crate) fn new(automatic_options: bool) -> Self {
        Self {
            entries: Vec::new(),
            common: [NOBODY; Verb::COMMON],
            constrained: false,
            allow: HeaderValue::from_static(""),
            automatic_options,
        }
    }

    /// Adds a route, or names the route that is in its way.
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
        self.entries.push(Entry {
            route,
            constraints,
            value,
        });
        self.index();
        Ok(())
    }

    fn index(&mut self) {
        self.common = [NOBODY; Verb::COMMON];
        for (number, entry) in self.entries.iter().enumerate() {
            let place = entry
                .route
                .verb
                .index()
                .and_then(|verb| self.common.get_mut(verb));
            if let Some(place) = place {
                *place = u16::try_from(number).unwrap_or(NOBODY);
            }
        }
        let [get, .., head, _] = &mut self.common;
        if *head == NOBODY {
            *head = *get;
        }
        self.allow = self.allow_of(self.entries.iter());
    }

    /// The methods of these entries, those that are answered without being declared included.
    fn allow_of<'e>(&self, entries: impl Iterator<Item = &'e Entry<T>>) -> HeaderValue
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

    /// The route for this method; `param` gives the decoded text of a path parameter.
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
            Some(verb) => self.common.get(verb).copied().unwrap_or(NOBODY),
            None => self.custom(method),
        };
        match self.entries.get(usize::from(number)) {
            Some(entry) => RouteMatch::Route(entry.route, &entry.value),
            None => self.without(method, self.allow.clone()),
        }
    }

    fn custom(&self, method: &Method) -> u16 {
        let place = self
            .entries
            .iter()
            .position(|entry| entry.route.verb.as_str() == method.as_str());
        place
            .and_then(|place| u16::try_from(place).ok())
            .unwrap_or(NOBODY)
    }

    /// In the order of declaration, so that a narrow expression can stand before a wide one.
    fn find_constrained(
        &self,
        method: &Method,
        param: impl Fn(usize) -> Option<String>,
    ) -> RouteMatch<'_, T> {
        let fits = |entry: &&Entry<T>| {
            entry
                .constraints
                .iter()
                .all(|(index, regex)| param(*index).is_some_and(|text| regex.is_match(&text)))
        };
        let fitting: Vec<&Entry<T>> = self.entries.iter().filter(fits).collect();
        if fitting.is_empty() {
            return RouteMatch::Nothing;
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
            None => self.without(method, self.allow_of(fitting.into_iter())),
        }
    }

    fn without(&self, method: &Method, allow: HeaderValue) -> RouteMatch<'_, T> {
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
    /// What is wrong, with both places named.
    pub(crate) fn explain(&self, places: &HashMap<String, &'static Route>) -> String {
        let mut text = String::new();
        let result = match self {
            Self::Routes(first, second) => write!(
                text,
                "{} is declared twice: by {} and by {}",
                title(second),
                named(first),
                named(second)
            ),
            Self::Shapes(other, route) => {
                let other = places
                    .get(other)
                    .map_or_else(|| format!("`{other}`"), |r| named(r));
                write!(
                    text,
                    "{} cannot stand beside {other}: the router cannot tell them apart",
                    named(route)
                )
            }
            Self::Pattern(route, problem) => write!(text, "{}: {problem}", named(route)),
        };
        debug_assert!(result.is_ok(), "writing to a string does not fail");
        text
    }
}

fn title(route: &Route) -> String {
    format!("{} {}", route.verb, route.template)
}

fn named(route: &Route) -> String {
    format!(
        "{}::{} ({}, at {})",
        route.resource,
        route.operation,
        title(route),
        route.place
    )
}
