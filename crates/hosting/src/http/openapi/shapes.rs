//! Schemas of responses that are assembled from JSON fragments.

#![expect(dead_code, reason = "only their schemas are used")]

use schemars::JsonSchema;

use crate::content::{Metadata, TocEntry};
use crate::status::{ComponentStatus, Impact, IncidentStatus, Indicator};

/// A page of a list of articles.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArticleList {
    /// The metadata of the articles.
    items: Vec<Metadata>,
    /// All categories of the blog or of the knowledge base.
    categories: Vec<CategoryCount>,
    /// The `cursor` of the next page; null on the last page.
    next_cursor: Option<String>,
    /// The number of articles on all pages.
    total: u64,
}

/// A category and the number of its articles.
#[derive(JsonSchema)]
struct CategoryCount {
    name: String,
    count: u64,
}

/// An article.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FullArticle {
    #[serde(flatten)]
    metadata: Metadata,
    /// The Markdown source, byte for byte, without front matter.
    body: String,
    /// The rendered and sanitised HTML.
    html: String,
    /// The table of contents.
    toc: Vec<TocEntry>,
    /// When the article was last changed.
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    /// The metadata of related articles.
    related: Vec<Metadata>,
}

/// The current path of an article.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Moved {
    moved_to: String,
}

/// A feed in JSON Feed 1.1.
#[derive(JsonSchema)]
pub(crate) struct JsonFeed {
    version: String,
    title: String,
    home_page_url: String,
    items: Vec<JsonFeedItem>,
}

/// An article in a feed.
#[derive(JsonSchema)]
struct JsonFeedItem {
    id: String,
    url: String,
    title: String,
    content_html: String,
    #[schemars(extend("format" = "date-time"))]
    date_published: String,
    #[schemars(extend("format" = "date-time"))]
    date_modified: String,
}

/// The summary of the status in the format of Statuspage.
#[derive(JsonSchema)]
pub(crate) struct Summary {
    page: PageInfo,
    status: OverallStatus,
    components: Vec<StatuspageComponent>,
    incidents: Vec<StatuspageIncident>,
    scheduled_maintenances: Vec<StatuspageIncident>,
}

/// The overall status.
#[derive(JsonSchema)]
pub(crate) struct StatusOnly {
    page: PageInfo,
    status: OverallStatus,
}

/// The components.
#[derive(JsonSchema)]
pub(crate) struct ComponentsOnly {
    page: PageInfo,
    components: Vec<StatuspageComponent>,
}

/// The incidents.
#[derive(JsonSchema)]
pub(crate) struct IncidentsOnly {
    page: PageInfo,
    incidents: Vec<StatuspageIncident>,
}

/// The scheduled maintenances.
#[derive(JsonSchema)]
pub(crate) struct MaintenancesOnly {
    page: PageInfo,
    scheduled_maintenances: Vec<StatuspageIncident>,
}

/// The status page.
#[derive(JsonSchema)]
struct PageInfo {
    id: String,
    name: String,
    url: String,
    time_zone: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

/// The worst status of all components, and its description.
#[derive(JsonSchema)]
struct OverallStatus {
    indicator: Indicator,
    description: String,
}

/// A component, or a group of them.
#[derive(JsonSchema)]
struct StatuspageComponent {
    id: String,
    name: String,
    status: ComponentStatus,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    position: u32,
    description: Option<String>,
    showcase: bool,
    /// The day of the first check.
    start_date: Option<String>,
    group_id: Option<String>,
    page_id: String,
    /// Whether this is a group.
    group: bool,
    only_show_if_degraded: bool,
    /// The ids of the components of a group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<String>,
}

/// An incident or a maintenance.
#[derive(JsonSchema)]
struct StatuspageIncident {
    id: String,
    name: String,
    status: StatuspageStatus,
    impact: StatuspageImpact,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    monitoring_at: Option<String>,
    resolved_at: Option<String>,
    shortlink: String,
    page_id: String,
    incident_updates: Vec<StatuspageUpdate>,
    components: Vec<StatuspageComponent>,
    /// When a maintenance begins.
    #[serde(skip_serializing_if = "String::is_empty")]
    scheduled_for: String,
    /// When a maintenance ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    scheduled_until: String,
}

/// The status of an incident or a maintenance.
#[derive(JsonSchema)]
#[serde(untagged)]
enum StatuspageStatus {
    Incident(IncidentStatus),
    Maintenance(crate::status::Phase),
}

/// The impact of an incident; always `maintenance` for a maintenance.
#[derive(JsonSchema)]
#[serde(untagged)]
enum StatuspageImpact {
    Incident(Impact),
    Maintenance(MaintenanceImpact),
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Maintenance")]
enum MaintenanceImpact {
    Maintenance,
}

/// An update of an incident or a maintenance.
#[derive(JsonSchema)]
struct StatuspageUpdate {
    id: String,
    status: String,
    body: String,
    incident_id: String,
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    #[schemars(extend("format" = "date-time"))]
    display_at: String,
}
