// The mailbox: a list of mails, and the selected mail beside it.
import { describe, get, mails, make, portal, say, the } from "./page.js";

const EMPTY = portal.mail
  ? "No mail yet. Mails of the auth server appear here as they are sent."
  : "Mail goes to the mail server in the settings, so none arrives here.";

let shown = 0;
let asText = false;

const refresh = mails(list, () => say("The mailbox does not respond; retrying.", true));

the("empty").addEventListener("click", async () => {
  const response = await fetch("/portal/mails", { method: "DELETE" });
  await refresh();
  if (!response.ok) say("The mails could not be deleted.", true);
});
for (const [id, text] of [["as-html", false], ["as-text", true]]) {
  the(id).addEventListener("click", () => view(text));
}
the("html").addEventListener("load", () => the("mail").removeAttribute("aria-busy"));

function list(all) {
  const items = all.map((mail) => {
    const button = make("button", "", { type: "button" });
    button.append(make("b", mail.subject || "(no subject)"), make("span", mail.to.join(", ")), make("span", when(mail.date)));
    button.addEventListener("click", () => open(mail.number));
    button.dataset.number = mail.number;
    const item = make("li");
    item.append(button);
    return item;
  });
  the("mails").replaceChildren(...items);
  the("empty").hidden = all.length === 0;
  say(all.length ? "" : EMPTY);
  const exists = all.some((mail) => mail.number === shown);
  if (exists) mark();
  else if (all.length) open(all[0].number);
  else the("mail").hidden = true;
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
  const mail = await get(`/portal/mails/${number}`);
  the("subject").textContent = mail.subject || "(no subject)";
  describe(the("facts"), [["To", mail.to.join(", ")], ["From", mail.from], ["Date", when(mail.date)]]);
  const actions = [];
  if (mail.link) actions.push(make("a", "Follow the link", { class: "button first", href: mail.link }));
  if (mail.code) actions.push(make("span", mail.code, { class: "code", role: "img", "aria-label": `Code ${mail.code}` }));
  the("actions").replaceChildren(...actions);
  the("text").replaceChildren(...linked(mail.text));
  the("as-html").disabled = !mail.has_html;
  the("mail").hidden = false;
  if (mail.has_html) {
    the("mail").setAttribute("aria-busy", "true");
    the("html").src = `/portal/mails/${number}/html`;
  }
  view(asText || !mail.has_html);
}

/** Shows the text of the mail, or its HTML in a sandboxed frame. */
function view(text) {
  asText = text;
  the("html").hidden = text;
  the("text").hidden = !text;
  the("as-html").setAttribute("aria-pressed", !text);
  the("as-text").setAttribute("aria-pressed", text);
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
