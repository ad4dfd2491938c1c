//! From mounts to a routing table, with every conflict found before the first request.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::core::{Core, Endpoint, Scope, ServiceMount};
use super::{Limits, Mount};
use crate::api::{MountedResource, RestApi, Settings};
use crate::format::Offers;
use crate::resource::Local;
use crate::route::{Conflict, Limit, MethodTable, Route};

/// Why an application cannot be served: routes that conflict, or a prefix that is none.
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
    router: matchit::Router<u32>,
    tables: Vec<(u16, MethodTable<u32>)>,
    /// Where each inserted path leads, and the first route that asked for it.
    known: HashMap<String, (u32, &'static Route)>,
    endpoints: Vec<Endpoint>,
    scopes: Vec<Arc<Scope>>,
    services: Vec<ServiceMount>,
    problems: Vec<String>,
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
                .push(format!("two mounts have the prefix `{prefix}`"));
            continue;
        }
        taken.push(prefix.clone());
        match mount {
            Mount::Api(api) => builder.add_api(prefix, api, limits),
            Mount::Service(service) => builder.services.push(ServiceMount { prefix, service }),
        }
    }
    builder
        .services
        .sort_by_key(|mount| std::cmp::Reverse(mount.prefix.len()));
    if builder.problems.is_empty() {
        Ok(Arc::new(Core::new(
            builder.router,
            builder.tables,
            builder.endpoints,
            (application, builder.scopes),
            builder.services,
            filters,
            limits,
        )))
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
    } else if bare.starts_with('/') && !bare.contains("//") && bare.chars().all(allowed) {
        Ok(bare.to_owned())
    } else {
        Err(format!(
            "`{prefix}` is no prefix: it starts with `/` and has no parameters"
        ))
    }
}

impl Builder {
    fn add_api(&mut self, prefix: String, api: RestApi<Local>, limits: Limits) {
        let RestApi {
            resources,
            settings,
            ..
        } = api;
        let number = u16::try_from(self.scopes.len()).unwrap_or(u16::MAX);
        let automatic_options = settings.automatic_options;
        let mut pending = Vec::new();
        let mut erased = Vec::new();
        for MountedResource {
            base,
            routes,
            filters,
            erased: resource,
        } in resources
        {
            for route in routes {
                let filters = filters
                    .iter()
                    .filter(|filter| filter.route.is_none_or(|id| id == route.id))
                    .map(|filter| Arc::clone(&filter.filter))
                    .collect::<Vec<_>>();
                match Offers::new(route, &settings.formats) {
                    Ok(offers) => pending.push((
                        base,
                        Endpoint {
                            route,
                            scope: number,
                            resource: erased.len(),
                            filters,
                            offers,
                            body_limit: body_limit(route, &settings, limits),
                            timeout: timeout(route, &settings, limits),
                        },
                    )),
                    Err(problem) => self.problems.push(problem),
                }
            }
            erased.push(resource);
        }
        for (base, endpoint) in pending {
            if let Err(conflict) =
                self.add_route(&prefix, base, number, automatic_options, endpoint)
            {
                let places = self
                    .known
                    .iter()
                    .map(|(path, (_, route))| (path.clone(), *route));
                self.problems.push(conflict.explain(&places.collect()));
            }
        }
        self.scopes
            .push(Arc::new(Scope::new(prefix, settings, erased)));
    }

    fn add_route(
        &mut self,
        prefix: &str,
        base: &'static str,
        scope: u16,
        automatic_options: bool,
        endpoint: Endpoint,
    ) -> Result<(), Conflict> {
        let route = endpoint.route;
        let number = u32::try_from(self.endpoints.len()).unwrap_or(u32::MAX);
        self.endpoints.push(endpoint);
        let bare = route.matcher.strip_suffix('/').unwrap_or(route.matcher);
        let mut paths = vec![format!("{prefix}{bare}")];
        // The base path answers with and without a slash at its end, other paths as declared.
        if route.template.trim_end_matches('/') == base.trim_end_matches('/') {
            paths.push(format!("{prefix}{bare}/"));
        }
        for path in paths.into_iter().filter(|path| !path.is_empty()) {
            let table = self.table(&path, route, scope, automatic_options)?;
            table.add(route, number)?;
        }
        Ok(())
    }

    fn table(
        &mut self,
        path: &str,
        route: &'static Route,
        scope: u16,
        automatic_options: bool,
    ) -> Result<&mut MethodTable<u32>, Conflict> {
        let number = match self.known.get(path) {
            Some((number, _)) => *number,
            None => {
                let number = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
                self.router
                    .insert(path, number)
                    .map_err(|error| match error {
                        matchit::InsertError::Conflict { with } => Conflict::Shapes(with, route),
                        other => Conflict::Pattern(route, other.to_string()),
                    })?;
                self.known.insert(path.to_owned(), (number, route));
                self.tables
                    .push((scope, MethodTable::new(automatic_options)));
                number
            }
        };
        match self.tables.get_mut(number as usize) {
            Some((owner, table)) if *owner == scope => Ok(table),
            _ => Err(Conflict::Shapes(path.to_owned(), route)),
        }
    }
}

fn body_limit(route: &Route, settings: &Settings, limits: Limits) -> u64 {
    match route.body_limit.or(settings.body_limit) {
        Some(Limit::Off) => u64::MAX,
        Some(Limit::At(bytes)) => bytes,
        None => limits.body,
    }
}

fn timeout(route: &Route, settings: &Settings, limits: Limits) -> Option<Duration> {
    match route.timeout {
        Some(Limit::Off) => None,
        Some(Limit::At(seconds)) => Some(Duration::from_secs(seconds)),
        None if settings.no_timeout => None,
        None => settings.timeout.or(limits.handler),
    }
}
