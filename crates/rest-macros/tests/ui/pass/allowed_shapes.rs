//! Paths and arguments that look like mistakes and are none.

use std::borrow::Cow;

use innkeeper_rest::{Body, Request, Response, resource};

pub(crate) struct Shapes;

#[resource("/shapes")]
impl Shapes {
    /// One shape with different expressions.
    #[get("/{id:[0-9]{1,3}}")]
    fn number(&self, id: u8) -> String {
        format!("number {id}")
    }

    #[get("/{name:[a-z]+}")]
    fn name(&self, name: Cow<'_, str>) -> String {
        format!("name {name}")
    }

    /// A tail below a literal, beside the parameters above.
    #[get("/files/{*rest}")]
    fn files(&self, rest: &str) -> String {
        rest.to_owned()
    }

    /// DELETE has a body when its handler says so.
    #[delete("/files")]
    async fn clear(&self, #[entity] names: Vec<String>) -> String {
        names.join(" ")
    }

    /// A default beside `Option`, which it makes superfluous and not wrong.
    #[get("/default")]
    fn default(&self, #[param(default = Some(7))] page: Option<u32>) -> String {
        format!("{page:?}")
    }

    /// An owned request beside arguments that are read before it is taken.
    #[post("/owned")]
    async fn owned(&self, #[request] mut request: Request, #[param] name: String) -> Response {
        let body = request.take_body();
        Response::ok().header("x-name", name).stream(body)
    }

    /// A lifetime that the method names.
    #[get("/borrowed")]
    fn borrowed<'r>(&'r self, text: &'r str) -> &'r str {
        text
    }

    /// An attribute of the language on an argument.
    #[post("/lint")]
    fn lint(
        &self,
        #[expect(unused_variables, reason = "says that the body is taken")]
        #[stream]
        body: Body,
    ) {
    }
}
