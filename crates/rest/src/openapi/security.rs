//! Security schemes.

use serde_json::{Value, json};

/// The scheme that a name in `#[security]` stands for.
///
/// ```
/// use innkeeper_rest::{App, OpenApi, RestApi, SecurityScheme, resource};
///
/// struct Rooms;
///
/// #[resource("/rooms")]
/// #[security(account("rooms:read"))]
/// impl Rooms {
///     #[get]
///     fn list(&self) -> Vec<u32> {
///         vec![7]
///     }
/// }
///
/// let app = App::new().mount("/", RestApi::new(Rooms));
/// let document = OpenApi::new("Rooms", "1.0")
///     .security("account", SecurityScheme::bearer().format("JWT"))
///     .document(&app);
/// assert_eq!(document["components"]["securitySchemes"]["account"]["scheme"], "bearer");
/// assert_eq!(document["paths"]["/rooms"]["get"]["security"][0]["account"][0], "rooms:read");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityScheme(Value);

impl SecurityScheme {
    /// A token in the `Authorization` header.
    pub fn bearer() -> Self {
        Self(json!({ "type": "http", "scheme": "bearer" }))
    }

    /// A user name and a password in the `Authorization` header.
    pub fn basic() -> Self {
        Self(json!({ "type": "http", "scheme": "basic" }))
    }

    /// A key in this header.
    pub fn api_key(header: &str) -> Self {
        Self(json!({ "type": "apiKey", "in": "header", "name": header }))
    }

    /// A key in this cookie.
    pub fn cookie(name: &str) -> Self {
        Self(json!({ "type": "apiKey", "in": "cookie", "name": name }))
    }

    /// A key in this parameter of the query.
    pub fn query(name: &str) -> Self {
        Self(json!({ "type": "apiKey", "in": "query", "name": name }))
    }

    /// `OpenID` Connect, with the URL of its discovery document.
    pub fn openid(url: &str) -> Self {
        Self(json!({ "type": "openIdConnect", "openIdConnectUrl": url }))
    }

    /// Any other scheme, as an OpenAPI security scheme object.
    pub fn other(scheme: Value) -> Self {
        Self(scheme)
    }

    /// Sets the format of a bearer token, such as `JWT`.
    #[must_use]
    pub fn format(self, format: &str) -> Self {
        self.with("bearerFormat", format)
    }

    /// Describes the credentials and how to get them.
    #[must_use]
    pub fn description(self, text: &str) -> Self {
        self.with("description", text)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        if let Value::Object(scheme) = &mut self.0 {
            scheme.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Guesses the scheme of a name that the document does not define.
    pub(super) fn guess(name: &str) -> Self {
        match name {
            "basic" => Self::basic(),
            "api_key" => Self::api_key("x-api-key"),
            _ => Self::bearer(),
        }
    }

    pub(super) fn to_value(&self) -> Value {
        self.0.clone()
    }
}
