#[resource("/users")]
impl Users {
    #[get("/{org:[a-z]+}/{*rest}")]
    fn list(
        &self,
        org: &str,
        rest: String,
        #[param(default = 10)]
        #[validate(range(min = 1, max = MOST), custom(even))]
        limit: u32,
        #[validate(length(max = 3), inner(pattern("^a"), ascii))] sort: Vec<String>,
    ) -> Vec<User> {
        self.find(org, &rest, limit, &sort)
    }

    #[put("/{mail}")]
    async fn replace(
        &self,
        #[validate(email, prefix("a"))] mail: String,
        #[validate(dive)] user: NewUser,
        #[param]
        #[validate(dive)]
        filter: Filter,
    ) {
        self.put(mail, user, filter).await;
    }
}
