//! The prepared responses of the status routes.

use http::header::CONTENT_SECURITY_POLICY;
use innkeeper_rest::{HeaderName, HeaderValue, PreparedResponse};
use jiff::Timestamp;

use super::data::StatusData;
use super::html::{self, ComponentDays};
use super::page::StatusPage;
use super::statuspage::StatuspageDocuments;
use super::{atom, badge};
use crate::base::digest;
use crate::base::prepared::prepare;
use crate::base::site::Site;

const CACHE_CONTROL: &str = "public, max-age=15, stale-if-error=3600";
const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";
const ATOM: &str = "application/atom+xml; charset=utf-8";

/// Responses made from the status, until it changes.
#[derive(Debug)]
pub(crate) struct StatusResponses {
    /// `/v1/status`.
    pub(crate) status: PreparedResponse,
    /// `/v1/status.html`.
    pub(crate) html: PreparedResponse,
    /// `/v1/status.atom`.
    pub(crate) atom: PreparedResponse,
    /// `/v1/status/badge.svg`.
    pub(crate) badge: PreparedResponse,
    /// `/v1/statuspage/api/v2/…`, in the format of Statuspage.
    pub(crate) summary: PreparedResponse,
    pub(crate) overall: PreparedResponse,
    pub(crate) components: PreparedResponse,
    pub(crate) incidents: PreparedResponse,
    pub(crate) maintenances: PreparedResponse,
    /// A digest of the page without the time of its last change.
    tag: String,
    /// The bars of the page for people, which change without the page.
    days: ComponentDays,
    updated_at: Timestamp,
    /// When the page changes by itself.
    valid_until: Timestamp,
}

impl StatusResponses {
    pub(super) fn new(
        data: &StatusData,
        site: &Site,
        now: Timestamp,
        previous: Option<&Self>,
    ) -> Self {
        let bytes = |page: &StatusPage| serde_json::to_vec(page).unwrap_or_default();
        let mut page = data.page(site, now, Timestamp::UNIX_EPOCH);
        let tag = digest::tag(&bytes(&page));
        let updated_at = match previous {
            Some(previous) if previous.tag == tag => previous.updated_at,
            _ => now,
        };
        page.info.updated_at = updated_at;
        let days = data.component_days(now);
        let documents = StatuspageDocuments::new(&page);
        let json =
            |document: &serde_json::Value| prepare(JSON, CACHE_CONTROL, document.to_string());
        // Pages of other sites embed the badge.
        let badge = prepare(
            "image/svg+xml",
            CACHE_CONTROL,
            badge::svg(page.status.indicator),
        )
        .common_header(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
        Self {
            status: prepare(JSON, CACHE_CONTROL, bytes(&page)),
            html: prepare(HTML, CACHE_CONTROL, html::write(&page, &days)).common_header(
                CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(html::POLICY),
            ),
            atom: prepare(ATOM, CACHE_CONTROL, atom::write(&page)),
            badge,
            summary: json(&documents.summary),
            overall: json(&documents.status),
            components: json(&documents.components),
            incidents: json(&documents.incidents),
            maintenances: json(&documents.maintenances),
            valid_until: data.next_change(now),
            tag,
            days,
            updated_at,
        }
    }

    pub(super) fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.valid_until
    }

    /// Tells whether other responses have the same content for as long.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        (&self.tag, &self.days, self.valid_until) == (&other.tag, &other.days, other.valid_until)
    }
}
