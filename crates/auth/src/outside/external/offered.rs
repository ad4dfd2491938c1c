//! The providers that a sign-in page offers.

use super::providers::Providers;
use crate::base::error::Result;

/// A provider that people can sign in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedProvider {
    /// The name in requests.
    pub(crate) name: String,
    /// The name for people.
    pub(crate) label: String,
}

impl OfferedProvider {
    fn new(name: &str, label: &str) -> Self {
        Self {
            name: name.to_owned(),
            label: if label.is_empty() { name } else { label }.to_owned(),
        }
    }
}

/// Returns the name of a provider as it writes it itself, or the empty string if that is its name in requests.
fn label(name: &str) -> &'static str {
    match name {
        "apple" => "Apple",
        "azure" => "Microsoft",
        "bitbucket" => "Bitbucket",
        "discord" => "Discord",
        "facebook" => "Facebook",
        "figma" => "Figma",
        "fly" => "Fly.io",
        "github" => "GitHub",
        "gitlab" => "GitLab",
        "google" => "Google",
        "kakao" => "Kakao",
        "keycloak" => "Keycloak",
        "linkedin" | "linkedin_oidc" => "LinkedIn",
        "notion" => "Notion",
        "slack" | "slack_oidc" => "Slack",
        "snapchat" => "Snapchat",
        "spotify" => "Spotify",
        "twitch" => "Twitch",
        "twitter" | "x" => "X",
        "vercel" | "vercel_marketplace" => "Vercel",
        "workos" => "WorkOS",
        "zoom" => "Zoom",
        _ => "",
    }
}

impl Providers {
    /// Returns the providers that people can sign in with: those of the table and those of the settings by name, then
    /// those of the database.
    pub(crate) async fn offered(&self) -> Result<Vec<OfferedProvider>> {
        let known = self.known.iter().filter(|(_, setup)| setup.is_ok());
        let mut offered: Vec<OfferedProvider> = known
            .map(|(name, _)| OfferedProvider::new(name, label(name)))
            .collect();
        let custom = self.custom.values().filter(|custom| custom.enabled);
        offered.extend(custom.map(|it| OfferedProvider::new(&it.identifier, &it.name)));
        if let Some(rows) = &self.rows {
            for (identifier, name) in rows.enabled().await? {
                if !self.custom.contains_key(&identifier) {
                    offered.push(OfferedProvider::new(&identifier, &name));
                }
            }
        }
        Ok(offered)
    }
}

#[cfg(test)]
mod tests {
    use super::label;
    use crate::config::PROVIDERS;

    #[test]
    fn every_provider_has_a_name_for_people() {
        for name in PROVIDERS {
            assert_ne!(label(name), "", "{name}");
        }
    }
}
