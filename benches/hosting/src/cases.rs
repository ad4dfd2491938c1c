//! The requests. This server serves them from memory, nginx serves the same bytes from files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::articles::{self, Size, USUAL};
use crate::places::Places;
use crate::server::{Running, Server, Setup};
use crate::wire::{Answer, get};

/// The number of articles in the list's folder.
const ARTICLES: usize = 60;
/// An article with a response of about 10 kB, including its source and its HTML.
const SHORT: Size = Size {
    sections: 4,
    words: 39,
};

/// The requests: name, path on this server, and file of nginx.
const ROUTES: [(&str, &str, &str); 4] = [
    (
        "article",
        "/v1/blog/article?path=/blog/0/a0",
        "article.json",
    ),
    (
        "short article",
        "/v1/kb/article?path=/kb/0/a0",
        "short.json",
    ),
    ("list", "/v1/blog/list", "list.json"),
    ("status", "/v1/status", "status.json"),
];

const GZIP: &str = "accept-encoding: gzip\r\n";

const STATUS: &str = "name = \"Bench\"\n\
    [[components]]\nid = \"api\"\nname = \"Public API\"\ngroup = \"Platform\"\n\
    [[components]]\nid = \"database\"\nname = \"Database\"\ngroup = \"Platform\"\n\
    [[components]]\nid = \"vps-fsn\"\nname = \"Virtual servers, Falkenstein\"\ngroup = \"Hosting\"\n\
    [[components]]\nid = \"vps-tku\"\nname = \"Virtual servers, Turku\"\ngroup = \"Hosting\"\n\
    [[components]]\nid = \"games\"\nname = \"Game servers\"\ngroup = \"Hosting\"\n\
    [[components]]\nid = \"support\"\nname = \"Support\"\n";

/// One kind of request, sent over and over.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name in the report, such as `article+gzip`.
    pub(crate) name: String,
    pub(crate) status: u16,
    /// The length of a response's body.
    pub(crate) bytes: usize,
    /// The path on this server, and on nginx.
    target: &'static str,
    file: String,
    /// An additional header line, or empty.
    more: &'static str,
}

impl Case {
    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            status: 200,
            bytes: 0,
            target: "/",
            file: String::new(),
            more: "",
        }
    }

    /// Returns the request as sent on the wire. The condition of a 304 is the server's current `ETag`.
    pub(crate) fn request(&self, running: &Running) -> Result<Vec<u8>> {
        let target = match running.server {
            Server::Innkeeper => self.target,
            Server::Nginx => &self.file,
        };
        if self.status != 304 {
            return Ok(get(target, self.more));
        }
        let answer = Answer::fetch(running.address, &get(target, ""))?;
        let tag = answer.header("etag").context("no ETag")?;
        Ok(get(target, &format!("if-none-match: {tag}\r\n")))
    }
}

/// The content that both servers serve.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) cases: Vec<Case>,
    content: PathBuf,
    root: PathBuf,
}

impl Site {
    /// Writes the content, and saves the responses of this server as files for nginx.
    pub(crate) fn prepare(places: &Places) -> Result<Self> {
        let content = places.empty("content")?;
        articles::write(&content.join("blog"), ARTICLES, USUAL)?;
        articles::write(&content.join("kb"), 1, SHORT)?;
        fs::write(content.join("status.toml"), STATUS)?;
        let mut site = Self {
            root: places.empty("root")?,
            cases: Vec::new(),
            content,
        };
        let mut ours = site.start(places, Server::Innkeeper, None)?;
        ours.wait_for("/v1/blog/list")?;
        for (_, target, file) in ROUTES {
            site.copy(&ours, target, file)?;
        }
        let nginx = site.start(places, Server::Nginx, None)?;
        for route in ROUTES {
            site.add(route, &ours, &nginx)?;
        }
        ours.process.stop()?;
        nginx.process.stop()?;
        Ok(site)
    }

    /// Starts a server that serves requests on one thread, optionally under callgrind.
    pub(crate) fn start(
        &self,
        places: &Places,
        server: Server,
        callgrind: Option<&Path>,
    ) -> Result<Running> {
        let folder = match server {
            Server::Innkeeper => &self.content,
            Server::Nginx => &self.root,
        };
        let setup = Setup {
            places,
            folder: Some(folder),
            database: None,
            one_thread: true,
            callgrind,
        };
        setup.start(server)
    }

    /// Saves a response as a file, plain and compressed.
    fn copy(&self, ours: &Running, target: &str, file: &str) -> Result<()> {
        let now = SystemTime::now();
        for (more, ending) in [("", ""), (GZIP, ".gz")] {
            let answer = Answer::fetch(ours.address, &get(target, more))?;
            ensure!(answer.status == 200, "{target}: {}", answer.status);
            let path = self.root.join(format!("{file}{ending}"));
            fs::write(&path, &answer.body)?;
            // Both files get the same time, as nginx requires.
            File::options().write(true).open(&path)?.set_modified(now)?;
        }
        Ok(())
    }

    /// Adds the cases of a route, after checking that both servers send the same response.
    fn add(
        &mut self,
        (name, target, file): (&str, &'static str, &str),
        ours: &Running,
        nginx: &Running,
    ) -> Result<()> {
        for (suffix, status, more) in [("", 200, ""), ("+gzip", 200, GZIP), ("+304", 304, "")] {
            let mut case = Case {
                name: format!("{name}{suffix}"),
                status,
                bytes: 0,
                target,
                file: format!("/{file}"),
                more,
            };
            let first = Answer::fetch(ours.address, &case.request(ours)?)?;
            let second = Answer::fetch(nginx.address, &case.request(nginx)?)?;
            let (name, statuses) = (&case.name, (first.status, second.status));
            ensure!(statuses == (status, status), "{name}: {statuses:?}");
            ensure!(first.body == second.body, "{name}: other bytes from nginx");
            let coding = first.header("content-encoding");
            ensure!(
                coding == second.header("content-encoding"),
                "{name}: another coding from nginx"
            );
            case.bytes = first.body.len();
            self.cases.push(case);
        }
        Ok(())
    }
}
