#[resource("/local", local)]
impl Counter {
    #[get]
    async fn count(&self) -> u64 {
        self.count.get()
    }

    #[head]
    fn exists(&self) {}
}
