// The mailbox: a list on one side, a mail on the other.
import { describe, get, make, say, the } from "./page.js";

let shown = 0;

const news = new EventSource("/portal/mails/events");
news.addEventListener("mail", () => list());
news.addEventListener("open", () => list());
news.addEventListener("error", () => say("The mailbox does not answer; trying again.", true));

the("empty").addEventListener("click", async () => {
  const answer = await fetch("/portal/mails", { method: "DELETE" });
  say(answer.ok ? "All mails are deleted." : "The mails could not be deleted.", !answer.ok);
  shown = 0;
  list();
});

async function list() {
  const mails = await get("/portal/mails");
  const items = mails.map((mail) => {
    const button = make("button", "", { type: "button" });
    button.append(make("b", mail.subject || "(no subject)"), make("span", mail.to.join(", ")));
    button.addEventListener("click", () => open(mail.number));
    if (mail.number === shown) button.setAttribute("aria-current", "true");
    const item = make("li");
    item.append(button);
    return item;
  });
  the("mails").replaceChildren(...items);
  say(mails.length ? "" : "No mail yet. Whatever the auth server sends appears here by itself.");
  if (!mails.length) the("mail").hidden = true;
  else if (!shown) open(mails[0].number);
}

async function open(number) {
  shown = number;
  const mail = await get(`/portal/mails/${number}`);
  the("subject").textContent = mail.subject || "(no subject)";
  describe(the("facts"), [["To", mail.to.join(", ")], ["From", mail.from], ["Date", mail.date]]);
  const actions = [];
  if (mail.link) actions.push(make("a", "Follow the link", { class: "button first", href: mail.link }));
  if (mail.code) actions.push(make("span", mail.code, { class: "code", "aria-label": `Code ${mail.code}` }));
  the("actions").replaceChildren(...actions);
  the("html").hidden = !mail.has_html;
  the("text").hidden = mail.has_html;
  if (mail.has_html) the("html").src = `/portal/mails/${number}/html`;
  else the("text").textContent = mail.text;
  the("mail").hidden = false;
  for (const button of the("mails").querySelectorAll("button")) button.removeAttribute("aria-current");
  list();
}
