//! Builds the routing table of an application and finds every conflict between routes.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::mount::Mount;
use crate::api::{MountSettings, RestApi};
use crate::call::{DetachedCount, ErasedResource};
use crate::format::Offers;
use crate::pipeline::{Core, Limits, MountedRoute, PathTable, Scope, ServiceMount};
use crate::resource::Local;
use crate::route::{Conflict, MethodTable, Route, Source, Tree};
use crate::runtime::Stop;

/// The error of [`App::build`](crate::App::build): routes that conflict, invalid prefixes, or invalid media
/// types of formats.
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
    /// Returns the problems, one sentence each.
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

#[derive(Default)]
struct CoreBuilder {
    /// Only used to detect paths that conflict.
    router: matchit::Router<u32>,
    tree: Tree,
    tables: Vec<PathTable>,
    /// The path of each table.
    paths: Vec<String>,
    /// The number of the table at each path, and the first route at it.
    known: HashMap<String, (u32, &'static Route)>,
    routes: Vec<MountedRoute>,
    scopes: Vec<Arc<Scope>>,
    services: Vec<ServiceMount>,
    problems: Vec<String>,
}

/// The mount whose routes are being added.
struct MountInfo {
    scope: u16,
    prefix: String,
    automatic_options: bool,
}

pub(super) fn build(
    mounts: Vec<(String, Mount)>,
    mut settings: MountSettings,
    limits: Limits,
) -> Result<Arc<Core>, RouteError> {
    let mut builder = CoreBuilder::default();
    let filters = std::mem::take(&mut settings.filters);
    let application = Arc::new(scope(String::new(), settings, Vec::new()));
    builder.scopes.push(Arc::clone(&application));
    let mut taken: Vec<String> = Vec::new();
    #[cfg(feature = "openapi")]
    let mounts = super::documents::serve_documents(mounts, limits);
    for (prefix, mount) in mounts {
        let prefix = match normalize(&prefix) {
            Ok(prefix) => prefix,
            Err(problem) => {
                builder.problems.push(problem);
                continue;
            }
        };
        if taken.contains(&prefix) {
            builder
                .problems
                .push(format!("two mounts have the prefix `{}`", display(&prefix)));
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
            Mount::Document(_) => {} // replaced above
        }
    }
    builder
        .services
        .sort_by_key(|mount| std::cmp::Reverse(mount.prefix.len()));
    builder.mark_overlaps(&taken);
    if builder.problems.is_empty() {
        Ok(Arc::new(Core {
            tree: builder.tree,
            tables: builder.tables,
            routes: builder.routes,
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

/// Checks a prefix and removes its trailing slash; the root is empty.
fn normalize(prefix: &str) -> Result<String, String> {
    let bare = prefix.strip_suffix('/').unwrap_or(prefix);
    let allowed = |c: char| c.is_ascii_graphic() && !"{}?#%\"<>\\^`|".contains(c);
    if bare.is_empty() {
        Ok(String::new())
    } else if bare.starts_with('/') && !prefix.contains("//") && bare.chars().all(allowed) {
        Ok(bare.to_owned())
    } else {
        Err(format!(
            "`{prefix}` is not a prefix: a prefix starts with `/` and has no parameters"
        ))
    }
}

fn has_text_before_parameter(matcher: &str) -> bool {
    matcher
        .split('/')
        .any(|segment| segment.find('{').is_some_and(|start| start > 0))
}

fn display(prefix: &str) -> &str {
    if prefix.is_empty() { "/" } else { prefix }
}

/// Returns whether a path of this shape can be below a prefix: `/{p0}/b` can be below `/a`.
fn may_be_below(path: &str, prefix: &str) -> bool {
    let mut segments = path.split('/');
    for fixed in prefix.split('/') {
        match segments.next() {
            // A tail takes the rest of the path.
            Some(segment) if segment.contains("{*") => return true,
            Some(segment) if segment == fixed || segment.contains('{') => {}
            _ => return false,
        }
    }
    true
}

fn scope(prefix: String, settings: MountSettings, resources: Vec<ErasedResource>) -> Scope {
    Scope {
        prefix,
        formats: Arc::new(settings.formats),
        errors: settings.errors,
        filters: settings.filters,
        resources,
        detached: DetachedCount::default(),
    }
}

impl CoreBuilder {
    /// Marks the tables whose paths may belong to a mount inside their own.
    fn mark_overlaps(&mut self, prefixes: &[String]) {
        for (table, path) in self.tables.iter_mut().zip(&self.paths) {
            let own = self.scopes.get(usize::from(table.scope));
            let own = own.map_or(0, |scope| scope.prefix.len());
            table.overlaps = prefixes
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
        let mount = MountInfo {
            scope: u16::try_from(self.scopes.len()).unwrap_or(u16::MAX),
            prefix,
            automatic_options: settings.automatic_options,
        };
        self.problems.extend(settings.formats.problems());
        let mut pending = Vec::new();
        let mut erased: Vec<ErasedResource> = Vec::new();
        for resource in resources {
            for route in resource.routes {
                let filters = resource.filters_of(route.id);
                match Offers::new(route, &settings.formats) {
                    Ok(offers) => pending.push((
                        resource.base,
                        MountedRoute {
                            route,
                            scope: mount.scope,
                            resource: erased.len(),
                            filters,
                            offers,
                            reads_query: reads_query(route),
                            body_limit: settings.body_limit_of(route, limits),
                            timeout: settings.timeout_of(route, limits),
                        },
                    )),
                    Err(problem) => self.problems.push(problem),
                }
            }
            erased.push(resource.erased);
        }
        // The router takes `/@{a}` after `/{a}/b`, but not the other way round.
        pending.sort_by_key(|(_, route)| has_text_before_parameter(route.route.matcher));
        for (base, route) in pending {
            if let Err(conflict) = self.add_route(&mount, base, route) {
                let known = self.known.iter();
                let routes = known.map(|(path, (_, route))| (path.clone(), *route));
                self.problems.push(conflict.explain(&routes.collect()));
            }
        }
        let scope = scope(mount.prefix, settings, erased);
        self.scopes.push(Arc::new(scope));
    }

    fn add_route(
        &mut self,
        mount: &MountInfo,
        base: &'static str,
        mounted: MountedRoute,
    ) -> Result<(), Conflict> {
        let route = mounted.route;
        let number = u32::try_from(self.routes.len()).unwrap_or(u32::MAX);
        self.routes.push(mounted);
        let matcher = route.matcher.strip_suffix('/').unwrap_or(route.matcher);
        let path = format!("{}{matcher}", mount.prefix);
        // The base path answers with and without a slash at its end, other paths as declared. One
        // that takes the rest of the path takes the slash too.
        let tail = route.params.last().is_some_and(|param| param.tail);
        if !tail && route.template.trim_end_matches('/') == base.trim_end_matches('/') {
            self.table(&format!("{path}/"), route, mount)?
                .add(route, number)?;
        }
        if !path.is_empty() {
            self.table(&path, route, mount)?.add(route, number)?;
        }
        Ok(())
    }

    /// Returns the table at a path; the first route at the path makes it.
    fn table(
        &mut self,
        path: &str,
        route: &'static Route,
        mount: &MountInfo,
    ) -> Result<&mut MethodTable<u32>, Conflict> {
        let known = self.known.get(path).map(|(number, _)| *number);
        let number = match known {
            Some(number) => number,
            None => self.add_table(path, route, mount)?,
        };
        match self.tables.get_mut(number as usize) {
            Some(table) if table.scope == mount.scope => Ok(&mut table.methods),
            _ => Err(Conflict::Shapes(path.to_owned(), route)),
        }
    }

    fn add_table(
        &mut self,
        path: &str,
        route: &'static Route,
        mount: &MountInfo,
    ) -> Result<u32, Conflict> {
        let number = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        let inserted = self.router.insert(path, number);
        inserted.map_err(|error| match error {
            matchit::InsertError::Conflict { with } => Conflict::Shapes(with, route),
            other => Conflict::Pattern(route, other.to_string()),
        })?;
        self.tree.insert(path, number);
        self.known.insert(path.to_owned(), (number, route));
        self.tables.push(PathTable {
            scope: mount.scope,
            methods: MethodTable::new(mount.automatic_options),
            overlaps: false,
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
