//! Answers that are put together from pieces, as the document describes them.

#![expect(dead_code, reason = "only their shapes are used")]

use schemars::JsonSchema;

use crate::content::{Metadata, TocEntry};
use crate::status::{ComponentStatus, Impact, IncidentStatus, Indicator};

/// A page of a list.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArticleList {
    /// Articles as metadata only.
    items: Vec<Metadata>,
    /// All categories of the shelf.
    categories: Vec<CategoryCount>,
    /// What `cursor` must be for the next page; null on the last one.
    next_cursor: Option<String>,
    /// How many articles there are on all pages.
    total: u64,
}

/// A category and how many articles it has.
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
    /// The source in Markdown, byte for byte, without front matter.
    body: String,
    /// The source as HTML that is safe to show.
    html: String,
    /// The headings.
    toc: Vec<TocEntry>,
    /// When it was changed last.
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
    /// Articles on the same subject, as metadata only.
    related: Vec<Metadata>,
}

/// Where an article is now.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Moved {
    moved_to: String,
}

/// A feed in the format JSON Feed, version 1.1.
#[derive(JsonSchema)]
pub(crate) struct JsonFeed {
    version: String,
    title: String,
    home_page_url: String,
    items: Vec<JsonFeedItem>,
}

/// An article of a feed.
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

/// Everything that is not over, in the words of Statuspage.
#[derive(JsonSchema)]
pub(crate) struct Summary {
    page: PageInfo,
    status: OverallStatus,
    components: Vec<StatuspageComponent>,
    incidents: Vec<StatuspageIncident>,
    scheduled_maintenances: Vec<StatuspageIncident>,
}

/// How the whole is.
#[derive(JsonSchema)]
pub(crate) struct StatusOnly {
    page: PageInfo,
    status: OverallStatus,
}

/// How each component is.
#[derive(JsonSchema)]
pub(crate) struct ComponentsOnly {
    page: PageInfo,
    components: Vec<StatuspageComponent>,
}

/// Incidents.
#[derive(JsonSchema)]
pub(crate) struct IncidentsOnly {
    page: PageInfo,
    incidents: Vec<StatuspageIncident>,
}

/// Maintenances.
#[derive(JsonSchema)]
pub(crate) struct MaintenancesOnly {
    page: PageInfo,
    scheduled_maintenances: Vec<StatuspageIncident>,
}

/// What the status is about.
#[derive(JsonSchema)]
struct PageInfo {
    id: String,
    name: String,
    url: String,
    time_zone: String,
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

/// The worst of everything, and a sentence about it.
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
    /// The day since which it is observed.
    start_date: Option<String>,
    group_id: Option<String>,
    page_id: String,
    /// Whether it is a group.
    group: bool,
    only_show_if_degraded: bool,
    /// The ids of the components, in a group.
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
    /// When the work begins, of a maintenance.
    #[serde(skip_serializing_if = "String::is_empty")]
    scheduled_for: String,
    /// When the work ends, of a maintenance.
    #[serde(skip_serializing_if = "String::is_empty")]
    scheduled_until: String,
}

/// How far an incident or a maintenance is.
#[derive(JsonSchema)]
#[serde(untagged)]
enum StatuspageStatus {
    Incident(IncidentStatus),
    Maintenance(crate::status::Phase),
}

/// How bad an incident is; a maintenance is always `maintenance`.
#[derive(JsonSchema)]
#[serde(untagged)]
enum StatuspageImpact {
    Incident(Impact),
    Maintenance(Maintenance),
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Maintenance {
    Maintenance,
}

/// What was said about an incident or a maintenance.
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
