//! Arguments and methods named like what the generated code uses.

use innkeeper_rest::{Request, resource};

pub(crate) struct Own;

#[resource("/own")]
impl Own {
    #[get("/{call}/{value}")]
    async fn dispatch(&self, call: u32, value: u32, this: u32, body: u32) -> u32 {
        call + value + this + body
    }

    #[post("/{id}")]
    fn erase(&self, id: u32, read: std::vec::Vec<u32>, #[request] request: &Request) -> String {
        format!("{id} {read:?} {}", request.path())
    }

    #[get("/filters")]
    fn filters() -> &'static str {
        "filters"
    }
}
