// The start page: the services, the machines, an account form, the newest articles, the status widget.
import { account } from "./account.js";
import { counted, get, image, mails, make, portal, the } from "./page.js";

/** The time between two checks of the servers, in milliseconds. */
const INTERVAL = 5000;

the("version").textContent = portal.version;
servers();
machines();
articles();
widget();
if (portal.client) account(await import("./auth-js.js"));
else the("no-client").hidden = false;

/** Adds a card that shows the state of a service. */
function card(name, address, links) {
  const item = make("li", "", { class: "panel" });
  const title = make("b", name);
  const state = make("span", "…", { class: "state" });
  title.append(state);
  const below = make("p", "", { class: "links" });
  below.append(...links.map(([text, href]) => make("a", text, { href })));
  const where = make("p", address);
  item.append(title, where, below);
  the("servers").append(item);
  return { setState: (word, isGood) => {
    state.textContent = word;
    state.classList.toggle("good", isGood);
    state.classList.toggle("bad", !isGood);
  }, below, where };
}

async function servers() {
  const pages = portal.has_pages ? [["Account pages", `${portal.auth_url}/account`]] : [];
  const auth = card("Auth server", portal.auth_url, [...pages, ["Public keys", `${portal.auth_url}/.well-known/jwks.json`]]);
  const hosting = card("Hosting server", portal.hosting_url, [["API documentation", `${portal.hosting_url}/docs`], ["Status page", `${portal.hosting_url}/status.html`]]);
  const database = card("PostgreSQL",
    portal.has_cluster ? "Private; its URL is in up.json" : "The one in DATABASE_URL", []);
  if (portal.mail) {
    const mailbox = card("Mailbox", portal.mail, [["Read the mails", "/mailbox"]]);
    mails((all) => mailbox.setState(counted(all), true), () => mailbox.setState("no response", false));
  }
  linkDocumentation(`${portal.auth_url}/docs`, auth.below);
  await checkHealth(auth, hosting, database);
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    if (!document.hidden) await checkHealth(auth, hosting, database);
  }
}

/** Links the documentation of an API if the server has one. */
async function linkDocumentation(url, links) {
  const exists = await fetch(url, { method: "HEAD" }).then((response) => response.ok, () => false);
  if (exists) links.prepend(make("a", "API documentation", { href: url }));
}

/** Shows the health of both servers and their database. */
async function checkHealth(auth, hosting, database) {
  const health = (url) => fetch(`${url}/health?deep=1`).then((response) => response.json()).catch(() => null);
  const [authHealth, hostingHealth] = await Promise.all([health(portal.auth_url), health(new URL(portal.hosting_url).origin)]);
  const isDatabaseUp = authHealth?.checks?.database?.status === "up" || hostingHealth?.parts?.database === "ok";
  const states = [[auth, Boolean(authHealth)], [hosting, Boolean(hostingHealth)], [database, isDatabaseUp]];
  for (const [card, isUp] of states) card.setState(isUp ? "running" : "no response", isUp);
  const isAllUp = states.every(([, isUp]) => isUp);
  the("headline").textContent = isAllUp ? "Everything is up" : "A service does not respond";
}

/** Shows the machines and their states, again and again. */
async function machines() {
  const shown = new Map();
  for (;;) {
    if (!document.hidden) await get("/portal/machines").then((list) => showMachines(list, shown), () => {});
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

function showMachines({ machines, problems }, shown) {
  the("machines-part").hidden = !machines.length && !problems.length;
  the("machine-problems").hidden = !problems.length;
  the("machine-problems").textContent = problems.join(". ");
  for (const machine of machines) {
    const key = `${machine.type} ${machine.id}`;
    if (!shown.has(key)) shown.set(key, machineCard(machine));
    const { state, failure } = shown.get(key);
    state.textContent = machine.state;
    state.classList.toggle("good", machine.state === "running");
    state.classList.toggle("bad", ["crashed", "failed", "unknown", "suspended"].includes(machine.state));
    failure.textContent = machine.failure ?? "";
  }
  const current = new Set(machines.map((machine) => `${machine.type} ${machine.id}`));
  for (const [key, { item }] of shown) if (!current.has(key)) item.remove(), shown.delete(key);
}

function machineCard({ type, id, name }) {
  const item = make("li", "", { class: "panel" });
  const title = make("b", name);
  const state = make("span", "…", { class: "state" });
  title.append(state);
  const below = make("p", "", { class: "links" });
  if (type === "game") {
    const console = { href: `/portal/machines/${id}/console`, target: "_blank", rel: "noopener", "aria-label": `Console of ${name}` };
    below.append(make("a", "Console", console));
  }
  const failure = make("p");
  item.append(title, make("p", id), failure, below);
  the("machines").append(item);
  return { item, state, failure };
}

async function articles() {
  const list = the("articles");
  try {
    const { items } = await get(`${portal.hosting_url}/blog/list?limit=4`);
    for (const article of items) {
      const item = make("li");
      const text = make("div");
      text.append(make("a", article.title, { href: article.path }), make("p", article.description));
      text.append(make("p", [article.date, article.author, article.readTime].filter(Boolean).join(" · "), { class: "hint" }));
      if (article.cover) item.append(make("img", "", { src: image(article.cover), alt: "", loading: "lazy", width: 96, height: 64 }));
      item.append(text);
      list.append(item);
    }
    if (!items.length) list.append(make("li", "No articles yet."));
  } catch {
    list.append(make("li", "The hosting server does not respond."));
  }
}

function widget() {
  const script = make("script", "", {
    async: "", src: `${portal.hosting_url}/heo-status.js`, "data-target": "#widget", "data-show": "always", "data-poll": "30",
  });
  document.body.append(script);
}
