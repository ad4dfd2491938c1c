#[resource("/search")]
impl Search {
    #[get]
    #[get("/{term}")]
    #[head("/{term}")]
    async fn find(&self, term: Option<String>) -> Vec<Hit> {
        self.hits(term).await
    }

    #[post]
    #[route(method = "QUERY", path = "/query")]
    #[route(method = "OPTIONS")]
    async fn search(&self, #[param] term: String) -> Vec<Hit> {
        self.hits(Some(term)).await
    }
}
