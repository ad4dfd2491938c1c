// What all pages use.

/** The element with this id. */
export const the = (id) => document.getElementById(id);

/** A new element with its text and attributes. Text is never read as markup. */
export function make(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Fills a list of terms, without those that have nothing to say. */
export function describe(list, facts) {
  const known = facts.filter(([, text]) => text);
  list.replaceChildren(...known.flatMap(([term, text]) => [make("dt", term), make("dd", text)]));
}

/** Says something to everybody, also to those who do not see it. */
export function say(text, isBad = false, place = "said") {
  const said = the(place);
  said.replaceChildren(...[text].flat());
  said.classList.toggle("bad", isBad);
}

/** Gets JSON, or throws what a person can read. */
export async function get(url) {
  const answer = await fetch(url, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}

/** What the servers of this portal are, and where. */
export const portal = await get("/portal/config.json");

/** Where an image of the content folder is. */
export const image = (path) => new URL(`${portal.hosting_url}/assets/${path.replace(/^\//, "")}`).href;

/** How many mails that are. */
export const counted = (all) => (all.length === 1 ? "1 mail" : `${all.length} mails`);

/** Calls back with all mails, now and whenever one comes in. */
export function mails(show, lost = () => {}) {
  const look = async () => {
    const all = await get("/portal/mails");
    the("count").hidden = all.length === 0;
    the("count").textContent = all.length;
    the("count").closest("a").setAttribute("aria-label", `Mailbox, ${counted(all)}`);
    show(all);
  };
  const news = new EventSource("/portal/mails/events");
  news.addEventListener("open", look);
  news.addEventListener("mail", look);
  news.addEventListener("error", lost);
  return look;
}
