#[resource("/login")]
impl Login {
    #[post]
    async fn login(
        &self,
        #[param] name: String,
        #[param(default = false)] remember: bool,
        #[header("User-Agent")] agent: &str,
    ) -> Response {
        self.enter(name, remember, agent).await
    }

    #[post("/plain")]
    fn plain(&self, #[param] name: String) -> String {
        name
    }
}
