// The page: loads the document, makes the menu, and shows what the fragment of the address names.

const at = (id) => document.getElementById(id);

/** All operations, and the rows of the menu: `{ text, link, row }`. */
let operations = [];
let rows = [];

/** Fills the menu with the operations of each tag, then with the schemas. */
function makeMenu() {
  const groups = groupsOf(operations).map(([tag, group]) => [tag, group.operations.map((entry) => ({
    text: [entry.method, entry.path, entry.title, entry.id, tag, ...entry.parameters.map((parameter) => parameter.name)].join(" "),
    link: el("a", { href: operationHref(entry), title: entry.title }, methodBadge(entry.method), " ", el("span", { class: "path" }, entry.path)),
  }))]);
  const schemas = Object.keys(api.components?.schemas ?? {}).map((name) => ({
    text: `schema ${name}`,
    link: el("a", { href: `#/schema/${encodeURIComponent(name)}` }, name),
  }));
  if (schemas.length > 0) groups.push(["Schemas", schemas]);
  rows = [];
  at("entries").replaceChildren(...groups.map(([title, members]) => {
    const list = el("ul");
    for (const member of members) {
      const row = el("li", null, member.link);
      rows.push({ ...member, row, text: member.text.toLowerCase() });
      list.append(row);
    }
    return el("section", null, el("h2", null, title), list);
  }));
  search();
}

/** Shows only the rows that have every word of the search. */
function search() {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    count += row.hidden ? 0 : 1;
  }
  for (const section of at("entries").children) {
    section.hidden = section.querySelector("li:not([hidden])") === null;
  }
  at("found").textContent = words.length === 0 ? "" : `${counted(count, "result")}`;
}

function overview() {
  const info = api.info ?? {};
  return [
    el("h1", { tabindex: "-1" }, String(info.title ?? "API"), " ", el("small", null, String(info.version ?? ""))),
    info.summary ? el("p", { class: "lead" }, inline(String(info.summary))) : null,
    prose(info.description),
    el("p", null, "Base address: ", code(baseAddress())),
    el("p", null, el("a", { href: api.address }, "OpenAPI document")),
    info.license?.name ? el("p", { class: "hint" }, `Licence: ${info.license.name}`) : null,
    info.contact ? el("p", { class: "hint" }, "Contact: ", [info.contact.name, info.contact.email, info.contact.url].filter(Boolean).join(", ")) : null,
    schemesView(),
    groupsOf(operations).map(([tag, group]) => el("section", null, el("h2", null, tag), prose(group.about), operationList(group.operations))),
  ];
}

function schemesView() {
  const schemes = entries(api.components?.securitySchemes);
  if (schemes.length === 0) return null;
  const items = schemes.map(([name, given]) => {
    const scheme = resolve(given) ?? {};
    return el("li", null, code(name), `: ${schemeWords(scheme)}. `, inline(joined(String(scheme.description ?? ""))));
  });
  return el("section", null, el("h2", null, "Authorization"), el("ul", null, items));
}

/** Returns the view, or what is wrong with the document if it cannot be shown. */
function safeView() {
  try {
    return chosenView();
  } catch (error) {
    return ["", [el("h1", { tabindex: "-1" }, "This part of the document cannot be shown"), el("p", null, String(error))]];
  }
}

/** Returns the view that the fragment names, and its title. */
function chosenView() {
  const [, kind, ...rest] = location.hash.split("/");
  const name = decoded(rest.join("/"));
  if (kind === "operation") {
    const entry = operations.find((known) => known.id === name);
    if (entry) return [entry.title, operationView(entry)];
  }
  const schemas = api.components?.schemas ?? {};
  if (kind === "schema" && Object.hasOwn(schemas, name)) {
    const reference = `"#/components/schemas/${name}"`;
    const users = operations.filter((entry) => JSON.stringify(entry.operation).includes(reference));
    return [name, namedSchemaView(name, schemas[name], users)];
  }
  return ["", overview()];
}

/** Shows what the fragment names. The focus moves to the heading, except when the page is opened. */
function show(isOpening) {
  const [title, view] = safeView();
  const name = String(api.info?.title ?? "API");
  document.title = title ? `${title} · ${name}` : name;
  at("main").replaceChildren(...view.flat(Infinity).filter(Boolean));
  for (const { link } of rows) {
    if (link.hash !== "" && link.hash === location.hash) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openMenu(false);
  if (isOpening) return;
  scrollTo(0, 0);
  at("main").querySelector("h1")?.focus({ preventScroll: true });
}

/** Opens or closes the menu, which is always open on wide screens. */
function openMenu(isOpen) {
  at("menu").classList.toggle("open", isOpen);
  at("menu-button").setAttribute("aria-expanded", String(isOpen));
}

async function load() {
  const address = new URL(document.body.dataset.document, location.href);
  const answer = await fetch(address, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const loaded = await answer.json();
  if (!loaded || typeof loaded !== "object" || Array.isArray(loaded)) throw new Error("it is not a JSON object");
  api = { ...loaded, address: address.href };
  operations = allOperations();
  makeMenu();
}

async function start() {
  try {
    await load();
  } catch (error) {
    at("notice").textContent = `The OpenAPI document cannot be shown: ${error.message}`;
    return;
  }
  at("title").textContent = String(api.info?.title ?? "API");
  at("search").addEventListener("input", search);
  at("search").addEventListener("keydown", (event) => {
    const first = rows.find(({ row }) => !row.hidden);
    if (event.key === "Enter" && first) first.link.click();
  });
  at("menu-button").addEventListener("click", () => openMenu(!at("menu").classList.contains("open")));
  at("skip").addEventListener("click", (event) => {
    event.preventDefault();
    at("main").focus();
  });
  addEventListener("hashchange", () => show(false));
  show(true);
}

start();
