#[resource("/all")]
impl All {
    #[post("/{id}/{*rest}")]
    async fn all(
        &self,
        id: u64,
        rest: String,
        #[param] page: u32,
        #[param("max-items")] max: Option<u32>,
        #[header("X-Request-Id")] request_id: String,
        #[cookie("sid")] session: Option<String>,
        #[value] user: User,
        #[value("tenant")] tenant: Tenant,
        #[request] request: &Request,
        #[entity] order: Order,
    ) -> Response {
        Response::ok()
    }
}
