//! The status page for people: HTML without scripts.

use std::fmt::Write as _;

use innkeeper_service::html::Escaped;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::indicator::ComponentStatus;
use super::page::{ShownComponent, ShownMaintenance, StatusPage};
use super::uptime_days::{DAYS, DayLevel, ShownDay};
use crate::model::{Incident, Phase, Update};

/// The style sheet; a theme is appended to it.
pub(super) const STYLES: &str = include_str!("status.css");

/// The page has no scripts. A theme may have images and fonts of this server, or inside itself.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; \
                                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The days of each component, in the order of the page.
pub(super) type ComponentDays = Vec<Vec<ShownDay>>;

/// Returns the page. Its links are relative, so that it works below any prefix of a proxy.
pub(super) fn write(page: &StatusPage, days: &ComponentDays) -> String {
    let name = Escaped(&page.info.name);
    let mut out = format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>{description} · {name}</title>
<link rel=\"icon\" href=\"data:,\">
<link rel=\"stylesheet\" href=\"status.css\">
<link rel=\"alternate\" type=\"application/atom+xml\" title=\"Incidents and maintenances\" href=\"status.atom\">
</head>
<body>
<header><h1>{name}</h1></header>
<main>
<p class=\"overall {indicator}\">{description}</p>
<p class=\"hint\">Last change: {changed}</p>
",
        indicator = page.status.indicator.word(),
        description = page.status.description,
        changed = time(page.info.updated_at),
    );
    let (open, past): (Vec<&Incident>, Vec<&Incident>) = page
        .incidents
        .iter()
        .partition(|incident| incident.is_open());
    let completed = |shown: &&ShownMaintenance| shown.status == Phase::Completed;
    let (completed, planned): (Vec<&ShownMaintenance>, Vec<&ShownMaintenance>) =
        page.maintenances.iter().partition(completed);
    push_events(&mut out, page, "Open incidents", &open, &[]);
    push_events(&mut out, page, "Maintenance", &[], &planned);
    push_components(&mut out, page, days);
    push_events(&mut out, page, "Past seven days", &past, &completed);
    if past.is_empty() && completed.is_empty() {
        out.push_str("<h2>Past seven days</h2>\n<p>No incidents and no maintenance.</p>\n");
    }
    out.push_str(
        "</main>
<footer><p>Subscribe: <a href=\"status.atom\">Atom feed of incidents and maintenances</a>. \
For programs: <a href=\"status\">JSON</a>. Times are UTC.</p></footer>
</body>
</html>
",
    );
    out
}

/// Returns a time for people and programs.
fn time(time: Timestamp) -> String {
    let shown = time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M UTC");
    format!("<time datetime=\"{time:.0}\">{shown}</time>")
}

/// Turns a word of the API such as `partial_outage` into words.
fn words(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let words: String = first.chain(letters).collect();
    words.replace('_', " ")
}

fn push_events(
    out: &mut String,
    page: &StatusPage,
    title: &str,
    incidents: &[&Incident],
    maintenances: &[&ShownMaintenance],
) {
    if incidents.is_empty() && maintenances.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<h2>{title}</h2>");
    for incident in incidents {
        let facts = format!(
            "{}, began {}",
            words(incident.status.word()),
            time(incident.started_at)
        );
        let event = Event {
            id: &incident.id,
            class: incident.impact.word(),
            title: &incident.title,
            facts,
            components: &incident.components,
            updates: &incident.updates,
        };
        event.push(out, page);
    }
    for maintenance in maintenances {
        let facts = format!(
            "{}, {} to {}",
            words(maintenance.status.word()),
            time(maintenance.scheduled_for),
            time(maintenance.scheduled_until)
        );
        let event = Event {
            id: &maintenance.id,
            class: "maintenance",
            title: &maintenance.title,
            facts,
            components: &maintenance.components,
            updates: &maintenance.updates,
        };
        event.push(out, page);
    }
}

/// An incident or a maintenance.
struct Event<'a> {
    id: &'a str,
    class: &'static str,
    title: &'a str,
    /// In HTML.
    facts: String,
    components: &'a [String],
    updates: &'a [Update],
}

impl Event<'_> {
    fn push(&self, out: &mut String, page: &StatusPage) {
        let _ = writeln!(
            out,
            "<section class=\"event {}\" id=\"{}\">\n<h3>{}</h3>\n<p class=\"hint\">{}</p>",
            self.class,
            Escaped(self.id),
            Escaped(self.title),
            self.facts,
        );
        let names: Vec<String> = page
            .components
            .iter()
            .filter(|component| self.components.contains(&component.id))
            .map(|component| Escaped(&component.name).to_string())
            .collect();
        if !names.is_empty() {
            let _ = writeln!(out, "<p class=\"hint\">Affects: {}</p>", names.join(", "));
        }
        out.push_str("<ol class=\"updates\">\n");
        for update in self.updates {
            let _ = writeln!(
                out,
                "<li><strong>{}</strong> {}<p>{}</p></li>",
                Escaped(&words(&update.status)),
                time(update.at),
                Escaped(&update.body),
            );
        }
        out.push_str("</ol>\n</section>\n");
    }
}

fn push_components(out: &mut String, page: &StatusPage, days: &ComponentDays) {
    if page.components.is_empty() {
        return;
    }
    out.push_str("<h2>Components</h2>\n");
    let mut group: Option<&str> = None;
    for (component, days) in page.components.iter().zip(days) {
        let own = component.group.as_deref();
        if let (Some(own), true) = (own, own != group) {
            let _ = writeln!(out, "<h3>{}</h3>", Escaped(own));
        }
        group = own;
        push_component(out, component, days);
    }
}

fn push_component(out: &mut String, component: &ShownComponent, days: &[ShownDay]) {
    let _ = writeln!(
        out,
        "<div class=\"component\">\n<p class=\"name\"><strong>{}</strong> <span class=\"state {}\">{}</span></p>",
        Escaped(&component.name),
        component.status.word(),
        status_words(component.status),
    );
    if let Some(description) = &component.description {
        let _ = writeln!(out, "<p class=\"hint\">{}</p>", Escaped(description));
    }
    let uptime = match component.uptime.over_90_days() {
        Some(uptime) => format!("{uptime:.3} % uptime"),
        None => "not observed yet".to_owned(),
    };
    push_bars(out, days, &uptime);
    let bad: Vec<&ShownDay> = days
        .iter()
        .rev()
        .filter(|day| day.down_minutes > 0)
        .collect();
    if !bad.is_empty() {
        let count = bad.len();
        let noun = if count == 1 { "day" } else { "days" };
        let _ = writeln!(
            out,
            "<details><summary>{count} {noun} with downtime</summary><ul>"
        );
        for day in bad {
            let _ = writeln!(out, "<li>{}: {}</li>", day.day, duration(day.down_minutes));
        }
        out.push_str("</ul></details>\n");
    }
    out.push_str("</div>\n");
}

fn push_bars(out: &mut String, days: &[ShownDay], uptime: &str) {
    let width = DAYS * 4 - 1;
    let _ = writeln!(
        out,
        "<svg class=\"bars\" viewBox=\"0 0 {width} 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Last {DAYS} days: {uptime}\">"
    );
    for (number, day) in days.iter().enumerate() {
        let (class, text) = match day.level {
            DayLevel::Unknown => ("unknown", "not observed".to_owned()),
            DayLevel::Up => ("up", "no downtime".to_owned()),
            DayLevel::PartlyDown => ("partly", duration(day.down_minutes)),
            DayLevel::Down => ("down", duration(day.down_minutes)),
        };
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{}\" width=\"3\" height=\"10\"><title>{}: {text}</title></rect>",
            number * 4,
            day.day,
        );
    }
    let _ = writeln!(
        out,
        "</svg>\n<p class=\"scale\"><span>{DAYS} days ago</span> <span>{uptime}</span> <span>today</span></p>"
    );
}

/// Returns a downtime in hours and minutes.
fn duration(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min of downtime"),
        (hours, 0) => format!("{hours} h of downtime"),
        (hours, minutes) => format!("{hours} h {minutes} min of downtime"),
    }
}

fn status_words(status: ComponentStatus) -> &'static str {
    match status {
        ComponentStatus::Operational => "Operational",
        ComponentStatus::UnderMaintenance => "Under maintenance",
        ComponentStatus::DegradedPerformance => "Degraded performance",
        ComponentStatus::PartialOutage => "Partial outage",
        ComponentStatus::MajorOutage => "Major outage",
    }
}
