//! The macros of `innkeeper-rest`: `#[resource]` and the attributes inside it, `derive(ApiError)` and
//! the checks behind `location!`. Use them through `innkeeper-rest`, which documents them.

mod annotations;
mod api_error;
mod argument;
mod attribute;
mod block;
mod errors;
mod expand;
mod location;
mod method;
mod misuse;
mod path;
mod resource_args;
mod route;
mod runtime_crate;
mod source;
#[cfg(test)]
mod tests;
mod verb;

use proc_macro::TokenStream;

/// Makes the methods of an `impl` block handle requests below a base path.
///
/// `local` after the path keeps the futures on their thread; `crate = "name"` names a renamed
/// dependency.
///
/// ```ignore
/// #[resource("/users")]
/// impl Users {
///     #[get("/{id}")]
///     async fn get(&self, id: u64) -> Result<User, UserError> {
///         self.find(id).await
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn resource(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(arguments.into(), &item.into()).into()
}

/// Gives an error type a status and a code for each variant.
///
/// `#[api(transparent)]` uses those of the only field. The message is what `Display` writes.
///
/// ```ignore
/// #[derive(Debug, ApiError)]
/// enum UserError {
///     #[api(status = 404)]
///     NotFound,
///     #[api(status = 409, code = "email_taken")]
///     EmailTaken { email: String },
/// }
/// ```
#[proc_macro_derive(ApiError, attributes(api))]
pub fn api_error(item: TokenStream) -> TokenStream {
    api_error::expand(item.into()).into()
}

/// Implements `location!`, which passes the path of its own crate.
///
/// ```ignore
/// location_impl!($crate; "/users/{id}", id)
/// ```
#[proc_macro]
pub fn location_impl(input: TokenStream) -> TokenStream {
    location::expand(input.into()).into()
}

/// Declares attributes that `#[resource]` removes; one that is expanded is misplaced.
macro_rules! inside_a_resource {
    ($($(#[$attribute:meta])* $name:ident)*) => {$(
        $(#[$attribute])*
        #[proc_macro_attribute]
        pub fn $name(_: TokenStream, item: TokenStream) -> TokenStream {
            misuse::expand(stringify!($name), item.into()).into()
        }
    )*};
}

inside_a_resource! {
    /// Handles GET: `#[get]` at the base path, `#[get("/{id}")]` below it.
    ///
    /// ```ignore
    /// #[get("/{id}")]
    /// async fn one(&self, id: u64) -> Option<User> { self.users.get(id) }
    /// ```
    get
    /// Handles POST; an argument without an attribute is the entity.
    ///
    /// ```ignore
    /// #[post]
    /// async fn create(&self, user: NewUser) -> Response { Response::created() }
    /// ```
    post
    /// Handles PUT; an argument without an attribute is the entity.
    ///
    /// ```ignore
    /// #[put("/{id}")]
    /// async fn replace(&self, id: u64, user: User) -> Result<User, UserError> { self.put(id, user) }
    /// ```
    put
    /// Handles PATCH; an argument without an attribute is the entity.
    ///
    /// ```ignore
    /// #[patch("/{id}")]
    /// async fn change(&self, id: u64, change: Change) -> Result<User, UserError> { self.change(id) }
    /// ```
    patch
    /// Handles DELETE.
    ///
    /// ```ignore
    /// #[delete("/{id}")]
    /// async fn remove(&self, id: u64) -> Result<(), UserError> { self.remove(id) }
    /// ```
    delete
    /// Handles HEAD, which the method for GET handles otherwise.
    ///
    /// ```ignore
    /// #[head("/{id}")]
    /// fn exists(&self, id: u64) -> Response { Response::ok() }
    /// ```
    head
    /// Handles OPTIONS, which the framework handles otherwise.
    ///
    /// ```ignore
    /// #[options]
    /// fn options(&self) -> Response { Response::no_content() }
    /// ```
    options
    /// Handles any method; arguments outside the path need a source attribute.
    ///
    /// ```ignore
    /// #[route(method = "QUERY", path = "/search")]
    /// async fn search(&self, #[entity] query: Query) -> Vec<User> { self.search(query) }
    /// ```
    route
    /// Documents a possible response in the description of the route.
    ///
    /// ```ignore
    /// #[responds(200, User)]
    /// #[responds(404, "no such user")]
    /// ```
    responds
    /// Declares a security requirement of a method or a resource.
    ///
    /// ```ignore
    /// #[security(bearer("admin"))]
    /// ```
    security
    /// Declares the media types that a method reads.
    ///
    /// ```ignore
    /// #[consumes("application/json", "text/csv")]
    /// ```
    consumes
    /// Declares the media types that a method writes.
    ///
    /// ```ignore
    /// #[produces("image/png")]
    /// ```
    produces
    /// Adds custom names and values to a method or a resource, for filters to read.
    ///
    /// ```ignore
    /// #[meta(cached = 60, area = "people")]
    /// ```
    meta
    /// Wraps a method or a resource in a filter; the first is the outermost.
    ///
    /// ```ignore
    /// #[filter(self.require_login())]
    /// ```
    filter
    /// Sets the largest request body of a method in bytes, or `none`.
    ///
    /// ```ignore
    /// #[body_limit(10 * 1024 * 1024)]
    /// ```
    body_limit
    /// Sets the timeout of a method in seconds, or `none`.
    ///
    /// ```ignore
    /// #[timeout(30)]
    /// ```
    timeout
    /// Runs a method to its end even if the client disconnects.
    ///
    /// ```ignore
    /// #[post("/pay")]
    /// #[detached]
    /// async fn pay(&self, order: Order) -> Result<Receipt, PayError> { self.pay(order).await }
    /// ```
    detached
}
