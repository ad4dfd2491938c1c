//! The requests: what this server answers from memory, and the same bytes as files of nginx.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};

use crate::articles::{self, Size, USUAL};
use crate::places::Places;
use crate::server::{Running, Server, Setup};
use crate::wire::{Answer, get};

/// How many articles the list has to choose from.
const ARTICLES: usize = 60;
/// An article whose answer has about 10 kB, with its source and its HTML.
const SHORT: Size = Size {
    sections: 4,
    words: 39,
};

/// What is asked for: its name, the path here, and the file of nginx.
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
    /// How many bytes the body of an answer has.
    pub(crate) bytes: usize,
    /// Its path at this server, and at nginx.
    target: &'static str,
    file: String,
    /// A header line, if it has one more.
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

    /// One request as it goes over the wire. The condition of a 304 is the tag that the server has now.
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

/// What both servers serve.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) cases: Vec<Case>,
    content: PathBuf,
    root: PathBuf,
}

impl Site {
    /// Writes the content, has this server answer it, and keeps the answers as files for nginx.
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

    /// Starts a server that answers on one thread, perhaps under callgrind.
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

    /// An answer as a file, plain and compressed.
    fn copy(&self, ours: &Running, target: &str, file: &str) -> Result<()> {
        let now = SystemTime::now();
        for (more, ending) in [("", ""), (GZIP, ".gz")] {
            let answer = Answer::fetch(ours.address, &get(target, more))?;
            ensure!(answer.status == 200, "{target}: {}", answer.status);
            let path = self.root.join(format!("{file}{ending}"));
            fs::write(&path, &answer.body)?;
            // Both of one time, as nginx asks for.
            File::options().write(true).open(&path)?.set_modified(now)?;
        }
        Ok(())
    }

    /// The cases of a route, once both servers are seen to answer the same.
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
