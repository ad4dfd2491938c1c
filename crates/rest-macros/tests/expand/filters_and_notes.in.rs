#[resource("/notes")]
#[filter(self.audit.clone())]
#[filter(Compress::default())]
#[security(bearer)]
#[meta(area = "people", hot = false)]
impl Notes {
    /// Lists notes.
    #[get]
    #[innkeeper_rest::post]
    #[responds(200, Vec<Note>)]
    #[responds(404)]
    #[responds(409, "taken")]
    #[responds(201, Note, "made")]
    #[security(api_key("read", "write"))]
    #[consumes("application/json", "text/csv")]
    #[produces("image/png")]
    #[meta(cached = 60, hot = true, weight = -1.5)]
    #[filter(self.require("notes"))]
    #[body_limit(1024 * 1024)]
    #[timeout(30)]
    #[tracing::instrument(skip_all)]
    async fn list(&self) -> Vec<Note> {
        self.all().await
    }

    #[put]
    #[body_limit(none)]
    #[timeout(none)]
    async fn free(&self) {}
}
