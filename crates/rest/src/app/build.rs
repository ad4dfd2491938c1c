//! From mounts to a routing table, with every conflict found before the first request.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::core::{Core, Endpoint, Scope, ServiceMount, Table};
use super::{Limits, Mount};
use crate::api::{RestApi, Settings};
use crate::format::Offers;
use crate::resource::Local;
use crate::route::{Conflict, Limit, MethodTable, Route, Source, Tree};
use crate::server::Stop;

/// Why an application cannot be served: routes that conflict, or a prefix that is none.
///
/// ```
/// use innkeeper_rest::App;
///
/// let app = App::new().handler("/ping", async |_| "pong").handler("/ping/", async |_| "again");
/// let error = app.build().unwrap_err();
/// assert_eq!(error.problems(), ["two mounts have the prefix `/ping`"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteError(Vec<String>);

impl RouteError {
    /// What is wrong, one sentence each.
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for RouteError {}

/// The table while it grows.
#[derive(Default)]
struct Builder {
    /// Says which paths cannot stand beside each other.
    router: matchit::Router<u32>,
    tree: Tree,
    tables: Vec<Table>,
    /// The path of each table.
    paths: Vec<String>,
    /// Where each inserted path leads, and the first route that asked for it.
    known: HashMap<String, (u32, &'static Route)>,
    endpoints: Vec<Endpoint>,
    scopes: Vec<Arc<Scope>>,
    services: Vec<ServiceMount>,
    problems: Vec<String>,
}

/// The mount that is being added.
struct Place {
    scope: u16,
    prefix: String,
    automatic_options: bool,
}

pub(super) fn build(
    mounts: Vec<(String, Mount)>,
    settings: Settings,
    limits: Limits,
) -> Result<Arc<Core>, RouteError> {
    let mut builder = Builder::default();
    let filters = settings.filters.clone();
    let settings = Settings {
        filters: Vec::new(),
        ..settings
    };
    let application = Arc::new(Scope::new(String::new(), settings, Vec::new()));
    builder.scopes.push(Arc::clone(&application));
    let mut taken: Vec<String> = Vec::new();
    #[cfg(feature = "openapi")]
    let mounts = crate::openapi::written(mounts, limits);
    for (prefix, mount) in mounts {
        let prefix = match checked(&prefix) {
            Ok(prefix) => prefix,
            Err(problem) => {
                builder.problems.push(problem);
                continue;
            }
        };
        if taken.contains(&prefix) {
            builder
                .problems
                .push(format!("two mounts have the prefix `{}`", shown(&prefix)));
            continue;
        }
        taken.push(prefix.clone());
        match mount {
            Mount::Api(api) => builder.add_api(prefix, api, limits),
            Mount::Service(service) => {
                builder.problems.extend_from_slice(service.problems());
                builder.services.push(ServiceMount { prefix, service });
            }
            #[cfg(feature = "openapi")]
            Mount::Document(_) => {} // written above
        }
    }
    builder
        .services
        .sort_by_key(|mount| std::cmp::Reverse(mount.prefix.len()));
    builder.mark_crossed(&taken);
    if builder.problems.is_empty() {
        Ok(Arc::new(Core {
            tree: builder.tree,
            tables: builder.tables,
            endpoints: builder.endpoints,
            scopes: builder.scopes,
            application,
            services: builder.services,
            filters,
            limits,
            ending: Stop::new(),
        }))
    } else {
        Err(RouteError(builder.problems))
    }
}

/// A prefix without its trailing slash; the root is empty.
fn checked(prefix: &str) -> Result<String, String> {
    let bare = prefix.strip_suffix('/').unwrap_or(prefix);
    let allowed = |c: char| c.is_ascii_graphic() && !"{}?#%\"<>\\^`|".contains(c);
    if bare.is_empty() {
        Ok(String::new())
    } else if bare.starts_with('/') && !prefix.contains("//") && bare.chars().all(allowed) {
        Ok(bare.to_owned())
    } else {
        Err(format!(
            "`{prefix}` is no prefix: it starts with `/` and has no parameters"
        ))
    }
}

fn has_text_before_parameter(matcher: &str) -> bool {
    matcher
        .split('/')
        .any(|segment| segment.find('{').is_some_and(|place| place > 0))
}

fn shown(prefix: &str) -> &str {
    if prefix.is_empty() { "/" } else { prefix }
}

/// Whether a path of this shape can be below a prefix: `/{p0}/b` can be below `/a`.
fn may_be_below(path: &str, prefix: &str) -> bool {
    let mut segments = path.split('/');
    for fixed in prefix.split('/') {
        match segments.next() {
            // A tail takes whatever is left.
            Some(segment) if segment.contains("{*") => return true,
            Some(segment) if segment == fixed || segment.contains('{') => {}
            _ => return false,
        }
    }
    true
}

impl Builder {
    /// Marks the tables whose paths may belong to a mount inside their own.
    fn mark_crossed(&mut self, prefixes: &[String]) {
        for (table, path) in self.tables.iter_mut().zip(&self.paths) {
            let own = self.scopes.get(usize::from(table.scope));
            let own = own.map_or(0, |scope| scope.prefix.len());
            table.crossed = prefixes
                .iter()
                .any(|prefix| prefix.len() > own && may_be_below(path, prefix));
        }
    }

    fn add_api(&mut self, prefix: String, api: RestApi<Local>, limits: Limits) {
        let RestApi {
            resources,
            settings,
            ..
        } = api;
        let place = Place {
            scope: u16::try_from(self.scopes.len()).unwrap_or(u16::MAX),
            prefix,
            automatic_options: settings.automatic_options,
        };
        let mut pending = Vec::new();
        let mut erased = Vec::new();
        for resource in resources {
            for route in resource.routes {
                let filters = resource.filters_of(route.id);
                match Offers::new(route, &settings.formats) {
                    Ok(offers) => pending.push((
                        resource.base,
                        Endpoint {
                            route,
                            scope: place.scope,
                            resource: erased.len(),
                            filters,
                            offers,
                            reads_query: reads_query(route),
                            body_limit: body_limit(route, &settings, limits),
                            timeout: timeout(route, &settings, limits),
                        },
                    )),
                    Err(problem) => self.problems.push(problem),
                }
            }
            erased.push(resource.erased);
        }
        // The router takes `/@{a}` after `/{a}/b`, but not the other way round.
        pending.sort_by_key(|(_, endpoint)| has_text_before_parameter(endpoint.route.matcher));
        for (base, endpoint) in pending {
            if let Err(conflict) = self.add_route(&place, base, endpoint) {
                let known = self.known.iter();
                let places = known.map(|(path, (_, route))| (path.clone(), *route));
                self.problems.push(conflict.explain(&places.collect()));
            }
        }
        let scope = Scope::new(place.prefix, settings, erased);
        self.scopes.push(Arc::new(scope));
    }

    fn add_route(
        &mut self,
        place: &Place,
        base: &'static str,
        endpoint: Endpoint,
    ) -> Result<(), Conflict> {
        let route = endpoint.route;
        let number = u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX);
        self.endpoints.push(endpoint);
        let matcher = route.matcher.strip_suffix('/').unwrap_or(route.matcher);
        let path = format!("{}{matcher}", place.prefix);
        // The base path answers with and without a slash at its end, other paths as declared. One
        // that takes the rest of the path takes the slash too.
        let tail = route.params.last().is_some_and(|param| param.tail);
        if !tail && route.template.trim_end_matches('/') == base.trim_end_matches('/') {
            self.table(&format!("{path}/"), route, place)?
                .add(route, number)?;
        }
        if !path.is_empty() {
            self.table(&path, route, place)?.add(route, number)?;
        }
        Ok(())
    }

    /// The table at a path; it is made if this is the first route there.
    fn table(
        &mut self,
        path: &str,
        route: &'static Route,
        place: &Place,
    ) -> Result<&mut MethodTable<u32>, Conflict> {
        let known = self.known.get(path).map(|(number, _)| *number);
        let number = match known {
            Some(number) => number,
            None => self.add_table(path, route, place)?,
        };
        match self.tables.get_mut(number as usize) {
            Some(table) if table.scope == place.scope => Ok(&mut table.methods),
            _ => Err(Conflict::Shapes(path.to_owned(), route)),
        }
    }

    fn add_table(
        &mut self,
        path: &str,
        route: &'static Route,
        place: &Place,
    ) -> Result<u32, Conflict> {
        let number = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        let inserted = self.router.insert(path, number);
        inserted.map_err(|error| match error {
            matchit::InsertError::Conflict { with } => Conflict::Shapes(with, route),
            other => Conflict::Pattern(route, other.to_string()),
        })?;
        self.tree.insert(path, number);
        self.known.insert(path.to_owned(), (number, route));
        self.tables.push(Table {
            scope: place.scope,
            methods: MethodTable::new(place.automatic_options),
            crossed: false,
        });
        self.paths.push(path.to_owned());
        Ok(number)
    }
}

fn reads_query(route: &Route) -> bool {
    route
        .arguments
        .iter()
        .any(|argument| argument.source == Source::Param)
}

fn body_limit(route: &Route, settings: &Settings, limits: Limits) -> u64 {
    match route.body_limit.or(settings.body_limit) {
        Some(Limit::Off) => u64::MAX,
        Some(Limit::At(bytes)) => bytes,
        None => limits.body,
    }
}

pub(crate) fn timeout(route: &Route, settings: &Settings, limits: Limits) -> Option<Duration> {
    match route.timeout {
        Some(Limit::Off) => None,
        Some(Limit::At(seconds)) => Some(Duration::from_secs(seconds)),
        None if settings.no_timeout => None,
        None => settings.timeout.or(limits.handler),
    }
}
