// What both pages use.

/** The element with this id. */
export const the = (id) => document.getElementById(id);

/** A new element with its text and attributes. Text is never read as markup. */
export function make(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Fills a list of terms. */
export function describe(list, facts) {
  list.replaceChildren(...facts.flatMap(([term, text]) => [make("dt", term), make("dd", text ?? "")]));
}

/** Says something to everybody, also to those who do not see it. */
export function say(text, isBad = false) {
  const said = the("said");
  said.textContent = text;
  said.classList.toggle("bad", isBad);
}

/** Gets JSON, or throws what a person can read. */
export async function get(url) {
  const answer = await fetch(url, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}
