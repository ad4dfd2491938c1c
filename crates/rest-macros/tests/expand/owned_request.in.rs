#[resource("/proxy")]
impl Proxy {
    #[post("/{*path}")]
    async fn forward(&self, path: String, #[request] request: Request, #[param] retries: u8) -> Response {
        self.send(path, request, retries).await
    }

    #[get]
    fn echo(#[request] request: Request) -> Response {
        request.into()
    }
}
