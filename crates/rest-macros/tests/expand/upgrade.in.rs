#[resource("/rooms")]
impl Rooms {
    #[get("/{id}/live")]
    async fn live(&self, #[upgrade] upgrade: Upgrade, id: u64, #[param] name: &str) -> Response {
        self.open(id, name, upgrade)
    }
}
