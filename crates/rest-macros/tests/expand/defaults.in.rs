#[resource("/list")]
impl List {
    #[get]
    fn list(
        &self,
        #[param(default = 10)] page: u32,
        #[param("sort-by", default = "name")] sort: String,
        #[header("X-Depth", default = Self::DEPTH + 1)] depth: u8,
        #[cookie("theme", default = Theme::Dark)] theme: Theme,
        #[param(default = Some(3))] limit: Option<u8>,
    ) -> Vec<Entry> {
        self.entries(page, sort, depth, theme, limit)
    }
}
