// Functions that all pages use.

/** Returns the element with this id. */
export const the = (id) => document.getElementById(id);

/** Creates an element with a text and attributes. The text is never parsed as HTML. */
export function make(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Fills a description list, leaving out terms without a text. */
export function describe(list, facts) {
  const known = facts.filter(([, text]) => text);
  list.replaceChildren(...known.flatMap(([term, text]) => [make("dt", term), make("dd", text)]));
}

/** Shows a message in a live region, which screen readers announce. */
export function say(text, isBad = false, place = "said") {
  const said = the(place);
  said.replaceChildren(...[text].flat());
  said.classList.toggle("bad", isBad);
}

/** Fetches JSON, or throws a readable error. */
export async function get(url) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url} responds with ${response.status}`);
  return response.json();
}

/** The configuration of the portal: its version and the URLs of both servers. */
export const portal = await get("/portal/config.json");

/** Returns the URL of an image in the content folder. */
export const image = (path) => new URL(`${portal.hosting_url}/assets/${path.replace(/^\//, "")}`).href;

/** Returns the number of mails as text. */
export const counted = (all) => (all.length === 1 ? "1 mail" : `${all.length} mails`);

/** Calls `show` with all mails, now and whenever one arrives, and `lost` when the connection is lost. */
export function mails(show, lost = () => {}) {
  const refresh = async () => {
    const all = await get("/portal/mails");
    the("count").hidden = all.length === 0;
    the("count").textContent = all.length;
    the("count").closest("a").setAttribute("aria-label", `Mailbox, ${counted(all)}`);
    await show(all);
  };
  const events = new EventSource("/portal/mails/events");
  events.addEventListener("open", refresh);
  events.addEventListener("mail", refresh);
  events.addEventListener("error", lost);
  return refresh;
}
