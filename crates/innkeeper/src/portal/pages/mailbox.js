// The mailbox: a list of mails, and the selected mail beside it.
import { counted, describe, get, mails, make, portal, say, the } from "./page.js";

const EMPTY = portal.mail
  ? "No mail yet. Mails of the auth server appear here as they are sent."
  : "Mail goes to the mail server in the settings, so none arrives here.";

/** The ways to look at a mail, each with a button and a place. */
const FORMATS = ["html", "text", "raw"];

let shown = 0;
let format = "html";
/** All mails, and those that the search has found. */
let all = [];
let found = [];

const refresh = mails(list, () => say("The mailbox does not respond; retrying.", true));

the("empty").addEventListener("click", async () => {
  if (!(await confirmed(`Delete ${counted(all)}? They cannot be brought back.`))) return;
  const response = await fetch("/portal/mails", { method: "DELETE" });
  await refresh();
  if (!response.ok) say("The mails could not be deleted.", true);
});
for (const name of FORMATS) the(`as-${name}`).addEventListener("click", () => view(name));
the("html").addEventListener("load", () => the("mail").removeAttribute("aria-busy"));
the("search").addEventListener("input", () => search());
the("search-form").addEventListener("submit", (event) => event.preventDefault());

/** Asks a question in a dialog, and returns whether the answer is to delete. */
function confirmed(question) {
  const dialog = the("asked");
  the("question").textContent = question;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.querySelector("form").onsubmit = (event) => resolve(event.submitter?.value === "delete");
    dialog.oncancel = () => resolve(false);
  });
}

async function list(mails) {
  all = mails;
  the("empty").hidden = the("search-form").hidden = all.length === 0;
  await search();
}

/** Lists the mails that have the text of the search. */
async function search() {
  const wanted = the("search").value.trim();
  found = wanted ? await get(`/portal/mails?search=${encodeURIComponent(wanted)}`) : all;
  // A later search may have been faster.
  if (wanted !== the("search").value.trim()) return;
  the("mails").replaceChildren(...found.map(item));
  if (!all.length) say(EMPTY);
  else if (wanted) say(found.length ? `${counted(found)} found.` : "No mail has this text.");
  else say("");
  const exists = found.some((mail) => mail.number === shown);
  if (exists) {
    mark();
    the("mail").hidden = false;
  } else if (found.length) await open(found[0].number);
  else the("mail").hidden = true;
}

function item(mail) {
  const button = make("button", "", { type: "button" });
  button.append(make("b", mail.subject || "(no subject)"), make("span", mail.to.join(", ")), make("span", when(mail.date)));
  button.addEventListener("click", () => open(mail.number));
  button.dataset.number = mail.number;
  const item = make("li");
  item.append(button);
  return item;
}

function mark() {
  for (const button of the("mails").querySelectorAll("button")) {
    if (Number(button.dataset.number) === shown) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

async function open(number) {
  shown = number;
  mark();
  const [mail, source] = await Promise.all([
    get(`/portal/mails/${number}`),
    fetch(`/portal/mails/${number}/source`).then((response) => response.text()),
  ]);
  // Another mail was opened, or this one was deleted.
  if (shown !== number) return;
  the("subject").textContent = mail.subject || "(no subject)";
  describe(the("facts"), [["To", mail.to.join(", ")], ["From", mail.from], ["Date", when(mail.date)]]);
  the("actions").replaceChildren(...actions(mail));
  the("text").replaceChildren(...linked(mail.text));
  the("raw").textContent = source;
  the("as-html").disabled = !mail.has_html;
  the("mail").hidden = false;
  if (mail.has_html) {
    the("mail").setAttribute("aria-busy", "true");
    the("html").src = `/portal/mails/${number}/html`;
  }
  view(format === "html" && !mail.has_html ? "text" : format);
}

/** Returns what can be done with a mail. */
function actions(mail) {
  const actions = [];
  if (mail.link) actions.push(make("a", "Follow the link", { class: "button first", href: mail.link }));
  if (mail.code) {
    actions.push(make("span", mail.code, { class: "code", role: "img", "aria-label": `Code ${mail.code}` }));
    const copy = make("button", "Copy the code", { type: "button", id: "copy" });
    copy.addEventListener("click", () => navigator.clipboard.writeText(mail.code).then(
      () => say("The code was copied."),
      () => say("The browser does not let this page copy.", true),
    ));
    actions.push(copy);
  }
  const remove = make("button", "Delete", { type: "button", id: "delete" });
  remove.addEventListener("click", () => deleteMail(mail.number));
  actions.push(remove);
  return actions;
}

/** Deletes a mail and goes on to the next one. */
async function deleteMail(number) {
  const next = found[found.findIndex((mail) => mail.number === number) + 1];
  // The frame may still be loading the mail.
  the("html").removeAttribute("src");
  shown = next?.number ?? 0;
  const response = await fetch(`/portal/mails/${number}`, { method: "DELETE" });
  await refresh();
  if (next) await open(next.number);
  // The button is gone with its mail.
  (the("mail").hidden ? the("main").querySelector("h1") : the("subject")).focus();
  if (!response.ok && response.status !== 404) say("The mail could not be deleted.", true);
  else say("The mail was deleted.");
}

/** Shows the mail as HTML in a sandboxed frame, as text, or as it was received. */
function view(name) {
  format = name;
  for (const other of FORMATS) {
    the(other).hidden = other !== name;
    the(`as-${other}`).setAttribute("aria-pressed", other === name);
  }
}

/** Returns a text whose URLs are links. */
function linked(text) {
  const parts = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)])/);
  return parts.map((part, index) => (index % 2 ? make("a", part, { href: part }) : part));
}

function when(date) {
  const time = new Date(date);
  return Number.isNaN(time.valueOf()) ? "" : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
