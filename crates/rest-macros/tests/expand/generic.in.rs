#[resource("/orgs/{org}/items")]
#[cfg(feature = "items")]
#[doc = "Kept."]
impl<S: Store, const N: usize> storage::Items<S, N>
where
    S: Send + Sync + 'static,
{
    const LIMIT: usize = N;

    #[get("/{id:[0-9]{1,9}}")]
    #[cfg(feature = "read")]
    #[filter(Cached::new(60))]
    async fn get<'a>(&'a self, org: &'a str, id: u32) -> Result<Cow<'a, S::Item>, Error> {
        self.store.get(org, id).await
    }

    #[get("/{slug}")]
    #[cfg(all(feature = "read", unix))]
    #[must_use]
    async fn by_slug(&self, org: String, slug: String) -> Option<S::Item> {
        self.store.by_slug(org, slug).await
    }
}
