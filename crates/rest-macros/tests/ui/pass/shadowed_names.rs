//! Names of the standard library and of the framework that mean something else here.

use innkeeper_rest::resource;

#[derive(serde::Serialize)]
pub(crate) struct Result {
    pub(crate) number: u32,
}

pub(crate) struct Option;
pub(crate) struct Response;
pub(crate) struct Arc;
pub(crate) struct Vec;

/// What the generated code calls `Some` and `Ok` is not this.
#[expect(non_snake_case, reason = "takes the name of a variant")]
pub(crate) fn Some() -> u32 {
    7
}

#[resource("/shadowed")]
impl Option {
    #[get("/{number}")]
    async fn one(&self, number: u32, #[param(default = Some())] more: u32) -> Result {
        let _ = (Response, Arc, Vec);
        Result {
            number: number + more,
        }
    }
}
