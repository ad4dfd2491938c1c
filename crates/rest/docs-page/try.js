// Samples of a request, and the form that sends it to this server and shows the response.

/** Longer bodies are cut off, so that the browser stays usable. */
const SHOWN_LENGTH = 200_000;

/** The language of samples that was chosen last. */
let language = "curl";

/** Returns the samples of a request; `show(request)` changes them. */
function samplesView() {
  const group = newId("language");
  const place = el("div");
  let current = null;
  const write = () => place.replaceChildren(codeBlock(LANGUAGES[language](current)));
  const choices = Object.keys(LANGUAGES).map((name) => {
    const radio = el("input", { type: "radio", name: group, value: name, checked: name === language });
    radio.addEventListener("change", () => {
      language = name;
      write();
    });
    return el("label", { class: "choice" }, radio, el("span", null, name));
  });
  const view = el("div", null, el("fieldset", { class: "choices" }, el("legend", null, "Language"), choices), place);
  const show = (request) => {
    current = request;
    write();
  };
  return { view, show };
}

/** Returns the form and the samples of an operation. */
function tryView(entry) {
  const parameters = parameterFields(entry);
  const body = bodyFields(entry.operation);
  const security = credentialFields(entry.operation);
  const samples = samplesView();
  const response = el("div", { class: "response" });
  const state = el("p", { role: "status", class: "state" });
  const send = el("button", { type: "submit", class: "first" }, "Send request");
  const cancel = el("button", { type: "button", hidden: true }, "Cancel");
  const request = (credential) => makeRequest(entry, parameters.values(), security.way(), credential, body.body(), acceptOf(entry.operation));
  const form = el("form", { class: "try" }, security.fields, parameters.fields, body.fields, el("p", { class: "buttons" }, send, cancel));
  const refresh = () => samples.show(request(sampleCredential));
  form.addEventListener("input", refresh);
  form.addEventListener("change", refresh);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendRequest(request(typedCredential), { state, response, send, cancel });
  });
  refresh();
  if (new URL(baseAddress()).origin !== location.origin) {
    send.disabled = true;
    state.textContent = "This page sends requests only to its own server.";
  }
  return { form: el("div", null, form, state, response), samples: samples.view };
}

/** Returns the media type to ask for, if the operation has one that is not JSON. */
function acceptOf(operation) {
  const successes = entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const types = successes.flatMap(([, response]) => Object.keys(resolve(response)?.content ?? {}));
  return types.length > 0 && !types.includes("application/json") && !types[0].includes("*") ? types[0] : null;
}

/** Returns the body as `fetch` takes it. */
function fetchBody(body) {
  if (!body?.fields) return body?.text ?? body?.file;
  const form = body.type.startsWith("multipart/") ? new FormData() : new URLSearchParams();
  for (const [name, value] of body.fields) form.append(name, value);
  return form;
}

async function sendRequest({ method, url, headers, body }, { state, response, send, cancel }) {
  const abort = new AbortController();
  const stop = () => abort.abort();
  cancel.addEventListener("click", stop);
  send.disabled = true;
  cancel.hidden = false;
  state.textContent = "Waiting for the response …";
  response.replaceChildren();
  const start = performance.now();
  try {
    const answer = await fetch(url, {
      method,
      headers: headers.filter(([name]) => name !== "Cookie"),
      body: fetchBody(body),
      signal: abort.signal,
      // The request has what the form has, and nothing else.
      credentials: "omit",
      cache: "no-store",
      redirect: "manual",
    });
    await showAnswer(answer, url, { state, response, start });
  } catch (error) {
    state.textContent = abort.signal.aborted ? "Cancelled." : `The request failed: ${error.message}`;
  } finally {
    cancel.removeEventListener("click", stop);
    cancel.hidden = true;
    send.disabled = false;
  }
}

async function showAnswer(answer, url, { state, response, start }) {
  if (answer.type === "opaqueredirect") {
    state.textContent = "The response is a redirect, which scripts cannot read.";
    response.append(el("p", null, el("a", { href: url, target: "_blank", rel: "noreferrer" }, "Open it in a new tab")));
    return;
  }
  const pre = el("pre", null, code("", "answer"));
  const headers = el("dl", null, [...answer.headers].map(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
  response.append(el("details", null, el("summary", null, "Headers"), headers), pre);
  const line = () => `${answer.status} ${answer.statusText}`.trim();
  state.textContent = `${line()}, receiving the body …`;
  const text = await readText(answer, (sofar) => (pre.firstChild.textContent = sofar));
  pre.firstChild.textContent = text === "" ? "(no body)" : pretty(text, answer.headers.get("content-type") ?? "");
  state.textContent = `${line()} in ${Math.round(performance.now() - start)} ms`;
}

/** Reads a body piece by piece, because it may be a stream that does not end. */
async function readText(answer, show) {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (text.length > SHOWN_LENGTH) {
      await reader.cancel();
      return `${text.slice(0, SHOWN_LENGTH)}\n… (cut off)`;
    }
    show(text);
  }
  return text;
}

function pretty(text, type) {
  const isLong = /\d{16}/.test(text);
  if (bodyForm(type) !== "json" || isLong) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
