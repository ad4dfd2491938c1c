// The start page: what runs, an account, news, status.
import { describe, get, make, say, the } from "./page.js";

const portal = await get("/portal/config.json");
the("version").textContent = portal.version;

servers();
articles();
widget();
if (portal.client) account(await import("./auth-js.js"));
else the("no-client").hidden = false;

function servers() {
  const cards = [
    ["Auth server", portal.auth_url, `${portal.auth_url}/health`, portal.auth_docs, "API documentation"],
    ["Hosting server", portal.hosting_url, `${new URL(portal.hosting_url).origin}/health`, portal.hosting_docs, "API documentation"],
    ["Mailbox", portal.mail, null, portal.mail ? "/mailbox" : null, "Read the mails"],
  ];
  for (const [name, address, health, link, text] of cards) {
    if (!address) continue;
    const card = make("li");
    const title = make("b", name);
    const state = make("span", "running", { class: "state good" });
    title.append(state);
    card.append(title, make("p", address));
    if (link) card.append(make("a", text, { href: link }));
    the("servers").append(card);
    if (health) watch(health, state);
  }
}

/** Looks whether a server answers, again and again. */
async function watch(health, state) {
  const isUp = await fetch(health).then((answer) => answer.ok, () => false);
  state.textContent = isUp ? "running" : "no answer";
  state.classList.toggle("good", isUp);
  state.classList.toggle("bad", !isUp);
  setTimeout(watch, 5000, health, state);
}

async function articles() {
  const list = the("articles");
  try {
    const all = await get(`${portal.hosting_url}/blog/list`);
    for (const article of (all.articles ?? all).slice(0, 4)) {
      const item = make("li");
      const link = `${portal.hosting_url}/blog/article?path=${encodeURIComponent(article.path)}`;
      item.append(make("a", article.title, { href: link }), make("p", article.description));
      item.append(make("p", [article.date, article.author, article.readTime].filter(Boolean).join(" · ")));
      list.append(item);
    }
  } catch (error) {
    list.append(make("li", `The articles cannot be had: ${error.message}`));
  }
}

function widget() {
  const script = make("script", "", {
    async: "", src: `${portal.hosting_url}/heo-status.js`, "data-target": "#widget", "data-show": "always",
  });
  document.body.append(script);
}

function account({ AuthClient }) {
  the("tour-body").hidden = false;
  const auth = new AuthClient({
    url: portal.auth_url, storageKey: "innkeeper", autoRefreshToken: true, persistSession: true, detectSessionInUrl: true,
  });
  auth.onAuthStateChange((event, session) => show(session, event));
  const back = { emailRedirectTo: `${location.origin}/` };

  /** Runs one call of the client with all buttons held, and says how it went. */
  const run = async (call, done) => {
    const buttons = document.querySelectorAll("#tour-body button");
    buttons.forEach((button) => (button.disabled = true));
    const { data, error } = await call().catch((error) => ({ error }));
    buttons.forEach((button) => (button.disabled = false));
    if (error) say(error.message || "The auth server does not answer.", true);
    else say(done(data));
  };

  the("account").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const given = { email: form.get("email"), password: form.get("password") };
    if (event.submitter?.value === "in") {
      run(() => auth.signInWithPassword(given), () => "Signed in.");
    } else {
      run(() => auth.signUp({ ...given, options: back }), (data) =>
        data.session ? "Signed up and in." : "Signed up. Now follow the link in the mail: it is in the mailbox.");
    }
  });
  the("forgotten").addEventListener("click", () =>
    run(() => auth.resetPasswordForEmail(the("email").value, { redirectTo: back.emailRedirectTo }),
      () => "If there is such an account, a mail is in the mailbox."));
  the("refresh").addEventListener("click", () => run(() => auth.refreshSession(), () => "A new access token."));
  the("leave").addEventListener("click", () => run(() => auth.signOut(), () => "Signed out."));
}

/** Shows who is signed in. */
function show(session) {
  the("nobody").hidden = Boolean(session);
  the("somebody").hidden = !session;
  if (!session) return;
  const claims = decoded(session.access_token);
  describe(the("facts"), [
    ["User", session.user.email || session.user.id],
    ["Confirmed", session.user.email_confirmed_at ?? "not yet"],
    ["Issued", time(claims.iat)],
    ["Ends", time(claims.exp)],
    ["Signed with", decoded(session.access_token, 0).alg],
  ]);
  the("claims").textContent = JSON.stringify(claims, null, 2);
}

function decoded(token, part = 1) {
  const text = token.split(".")[part].replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

const time = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
