// Lets the forms of the account pages ask an authenticator: for a passkey, or as a security key. A form stays hidden
// where the browser cannot ask.
"use strict";

/** Remembers that this browser has used a passkey here, so that its sign-in page offers passkeys in the address field. */
const MEMORY = "innkeeper-passkey";

/** The request that waits in the address field of the sign-in page. */
let waiting = null;

for (const form of document.querySelectorAll("form[data-webauthn]")) prepare(form);

function prepare(form) {
  const isAccepted = form.dataset.origins.split(" ").includes(location.origin);
  if (!window.PublicKeyCredential || !isAccepted) return;
  form.hidden = false;
  for (const hint of document.querySelectorAll("[data-webauthn-hint]")) hint.hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(form);
  });
  if (form.dataset.autofill) offer(form);
}

/** Asks the authenticator, and sends the form with its answer. */
async function run(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  show(form, "");
  try {
    waiting?.abort.abort();
    const started = waiting?.started ?? await start(form);
    waiting = null;
    const isNew = form.dataset.webauthn === "create";
    const options = { publicKey: decoded(started.publicKey) };
    const credential = isNew ? await navigator.credentials.create(options) : await navigator.credentials.get(options);
    send(form, started, credential);
  } catch (error) {
    show(form, explain(form, error));
  } finally {
    // Whoever comes back to the page can use it again.
    button.disabled = false;
  }
}

/** Lets the browser offer passkeys in the address field. Whoever does not take one notices nothing. */
async function offer(form) {
  try {
    const isPossible = localStorage.getItem(MEMORY) && await PublicKeyCredential.isConditionalMediationAvailable?.();
    if (!isPossible) return;
    const started = await start(form);
    const abort = new AbortController();
    waiting = { abort, started };
    // After a while the challenge would have expired. The button gets another one.
    setTimeout(() => {
      abort.abort();
      waiting = null;
    }, started.publicKey.timeout * 0.9);
    const publicKey = decoded(started.publicKey);
    send(form, started, await navigator.credentials.get({ publicKey, mediation: "conditional", signal: abort.signal }));
  } catch {
    // The form and its button are still there.
  }
}

/** Gets a challenge. The server answers with a page if it refuses, or wants to ask for something else first. */
async function start(form) {
  const response = await fetch(form.dataset.options, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  if (response.redirected) {
    location.assign(response.url);
    // The page is about to go.
    return new Promise(() => {});
  }
  if (response.ok) return response.json();
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  throw new Refusal(page.querySelector("main > .problem")?.textContent ?? form.dataset.failed);
}

/** What the server says, in words for the visitor. */
class Refusal extends Error {}

function explain(form, error) {
  if (error instanceof Refusal) return error.message;
  if (error.name === "InvalidStateError") return form.dataset.known;
  return error.name === "NotAllowedError" ? form.dataset.cancelled : form.dataset.failed;
}

function show(form, text) {
  const problem = form.querySelector(".problem");
  problem.textContent = text;
  problem.hidden = !text;
}

function send(form, started, credential) {
  if (!form.elements.factor) remember();
  form.elements.challenge.value = started.challenge;
  form.elements.credential.value = JSON.stringify(encoded(credential));
  if (started.factor) form.elements.factor.value = started.factor;
  form.submit();
}

function remember() {
  try {
    localStorage.setItem(MEMORY, "true");
  } catch {
    // A browser without storage does not offer passkeys in the field.
  }
}

/** Turns the options of the server into those of the browser, which have bytes in them. */
function decoded(options) {
  const withBytes = (list) => list?.map((it) => ({ ...it, id: bytes(it.id) }));
  return {
    ...options,
    challenge: bytes(options.challenge),
    ...(options.user && { user: { ...options.user, id: bytes(options.user.id) } }),
    ...(options.allowCredentials && { allowCredentials: withBytes(options.allowCredentials) }),
    ...(options.excludeCredentials && { excludeCredentials: withBytes(options.excludeCredentials) }),
  };
}

/** Turns the answer of the browser into JSON. */
function encoded({ rawId, type, authenticatorAttachment, response }) {
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const members = names.filter((name) => response[name]).map((name) => [name, base64url(response[name])]);
  const transports = response.getTransports?.();
  return {
    id: base64url(rawId), rawId: base64url(rawId), type, authenticatorAttachment, clientExtensionResults: {},
    response: { ...Object.fromEntries(members), ...(transports && { transports }) },
  };
}

function bytes(text) {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function base64url(buffer) {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
