#[resource("/x", crate = "web")]
impl X {
    #[web::get("/{id}")]
    fn get(&self, id: u64) -> u64 {
        id
    }
}

#[resource("/y", local, crate = crate::web)]
impl Y {
    #[get]
    async fn get(&self) {}
}

#[api(status = 400, crate = "web")]
struct Bad;
