//! The Atom feed of incidents and maintenances.

use std::fmt::Write as _;

use innkeeper_service::html::Escaped;
use jiff::Timestamp;

use super::page::StatusPage;
use crate::content::xml;
use crate::model::Update;

/// An incident or a maintenance.
struct Entry<'a> {
    id: &'a str,
    title: &'a str,
    published: Timestamp,
    updates: &'a [Update],
}

/// Returns the feed, newest changes first.
pub(super) fn write(page: &StatusPage) -> String {
    let info = &page.info;
    let incidents = page.incidents.iter().map(|incident| Entry {
        id: &incident.id,
        title: &incident.title,
        published: incident.started_at,
        updates: &incident.updates,
    });
    let maintenances = page.maintenances.iter().map(|maintenance| Entry {
        id: &maintenance.id,
        title: &maintenance.title,
        published: maintenance.announced_at(),
        updates: &maintenance.updates,
    });
    let mut entries: Vec<Entry<'_>> = incidents.chain(maintenances).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.updated()));
    let updated = entries
        .first()
        .map_or(Timestamp::UNIX_EPOCH, Entry::updated);
    let (url, details) = (xml(&info.url), xml(&info.details));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{name}</title>\n<id>{url}#status</id>\n\
         <link href=\"{details}\"/>\n<link rel=\"self\" href=\"status.atom\"/>\n\
         <updated>{updated}</updated>\n<author><name>{name}</name></author>\n",
        name = xml(&info.name),
    );
    for entry in &entries {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<entry>\n<title>{title}</title>\n<id>{url}#{id}</id>\n<link href=\"{details}#{id}\"/>\n\
             <published>{published}</published>\n<updated>{updated}</updated>\n\
             <content type=\"html\">{content}</content>\n</entry>\n",
            title = xml(entry.title),
            id = xml(entry.id),
            published = entry.published,
            updated = entry.updated(),
            content = xml(&entry.html()),
        );
    }
    out.push_str("</feed>\n");
    out
}

impl Entry<'_> {
    fn updated(&self) -> Timestamp {
        let latest = self.updates.first().map(|update| update.at);
        latest.unwrap_or(self.published)
    }

    fn html(&self) -> String {
        let mut html = String::new();
        for update in self.updates {
            let _ = writeln!(
                html,
                "<p><strong>{}</strong> {:.0}</p>\n<p>{}</p>",
                Escaped(&update.status.replace('_', " ")),
                update.at,
                Escaped(&update.body),
            );
        }
        html
    }
}
