// The account forms of the start page: sign-up, sign-in, the session.
import { describe, get, make, portal, say, the } from "./page.js";

/** Where links and providers lead back to. */
const BACK = `${location.origin}/`;

const toMailbox = (text) => [text, " ", make("a", "Open the mailbox", { href: "/mailbox" })];

/** Shows the forms, and the session if there is one. */
export async function account({ AuthClient }) {
  the("tour-body").hidden = false;
  const client = (options) => new AuthClient({ url: portal.auth_url, storageKey: "innkeeper", ...options });
  // With PKCE, only this browser can use what comes back. Links in mails should work in every browser.
  const pkceClient = (detectSessionInUrl) => client({ flowType: "pkce", detectSessionInUrl, autoRefreshToken: false });
  const hasCode = new URLSearchParams(location.search).has("code");
  const isBack = hasCode || /[#&](access_token|error)=/.test(location.hash);
  const exchanged = hasCode ? await pkceClient(true).initialize() : {};
  const auth = client({ detectSessionInUrl: !hasCode });
  auth.onAuthStateChange((_, session) => show(session));
  emailForm(auth);
  phoneForm(auth);
  otherWays(auth, pkceClient);
  sessionButtons(auth);
  showWays();

  // An expired link and a failed sign-in with a provider lead here too, with the reason in the address.
  const { error } = await auth.initialize();
  const problem = exchanged.error ?? error;
  if (problem) say(problem.message, true);
  if (problem || hasCode) history.replaceState(null, "", location.pathname);
  // On a small screen the result would be below the services and the form.
  if (isBack) (problem ? the("said") : the("session")).scrollIntoView({ block: "start" });
  if (isBack && !problem) the("session-title").focus({ preventScroll: true });
}

/** Runs a call of the client with all buttons disabled, and shows its outcome. Then the keyboard goes on where it was,
 * or at `next` if the call has succeeded. */
async function run(call, done, place = "said", next = () => {}) {
  say("", false, "said");
  say("", false, "noted");
  const before = document.activeElement;
  const buttons = document.querySelectorAll("#tour-body button");
  buttons.forEach((button) => (button.disabled = true));
  const { data, error } = await call().catch((error) => ({ error }));
  buttons.forEach((button) => (button.disabled = false));
  if (error) say(error.message || "The auth server does not respond.", true, place);
  else say(done(data), false, place);
  // A button loses the focus while it is disabled.
  if (document.activeElement === document.body) before?.focus();
  if (!error) next(data);
}

/** Moves the keyboard to the session after a sign-in. */
const toSession = (data) => data?.session && the("session-title").focus();

/** Moves the keyboard to the form after a sign-out. */
const toForm = () => [the("email"), the("phone")].find((input) => input.offsetParent)?.focus();

function emailForm(auth) {
  the("account").addEventListener("submit", (event) => {
    event.preventDefault();
    const credentials = Object.fromEntries(new FormData(event.target));
    const { email } = credentials;
    switch (event.submitter?.value) {
      case "in":
        return run(() => auth.signInWithPassword(credentials), () => "Signed in.", "said", toSession);
      case "link":
        return run(() => auth.signInWithOtp({ email, options: { emailRedirectTo: BACK } }),
          () => toMailbox("We sent you a link and a code."));
      default:
        return run(() => auth.signUp({ ...credentials, options: { emailRedirectTo: BACK } }),
          (data) => data.session ? "Signed up and in." : toMailbox("Signed up. Now follow the link in the mail."), "said", toSession);
    }
  });
}

function phoneForm(auth) {
  the("phone-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { phone } = Object.fromEntries(new FormData(event.target));
    run(() => auth.signInWithOtp({ phone }), () => {
      the("code-form").hidden = false;
      the("code").focus();
      return toMailbox("We sent a code to your phone, which is the mailbox here.");
    });
  });
  the("code-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { code: token } = Object.fromEntries(new FormData(event.target));
    run(() => auth.verifyOtp({ phone: the("phone").value, token, type: "sms" }), () => {
      the("code-form").reset();
      the("code-form").hidden = true;
      return "Signed in.";
    }, "said", toSession);
  });
}

function otherWays(auth, pkceClient) {
  the("with-provider").addEventListener("click", () => run(
    () => pkceClient(false).signInWithOAuth({ provider: portal.demo_provider, options: { redirectTo: BACK } }),
    () => "To the demo provider …",
  ));
  the("without-account").addEventListener("click", () => run(() => auth.signInAnonymously(), () => "Signed in without an account.", "said", toSession));
}

function sessionButtons(auth) {
  the("refresh").addEventListener("click", () => run(() => auth.refreshSession(), () => "The session was refreshed.", "noted"));
  the("leave").addEventListener("click", () => run(() => auth.signOut(), () => "Signed out.", "noted", toForm));
  the("keep").addEventListener("submit", (event) => {
    event.preventDefault();
    const { email } = Object.fromEntries(new FormData(event.target));
    run(() => auth.updateUser({ email }, { emailRedirectTo: BACK }),
      () => toMailbox("Now follow the link in the mail."), "noted");
  });
}

/** Shows the ways to sign in that the auth server has, besides email. */
async function showWays() {
  the("with-provider").hidden = !portal.demo_provider;
  const { external } = await get(`${portal.auth_url}/settings`).catch(() => ({ external: {} }));
  the("without-account").hidden = !external.anonymous_users;
  the("other-ways").hidden = !portal.demo_provider && !external.anonymous_users;
  if (external.phone) showTabs();
}

/** Makes tabs of the forms for an email address and for a phone number. */
function showTabs() {
  const tabs = [the("email-tab"), the("phone-tab")];
  const panel = (tab) => the(tab.getAttribute("aria-controls"));
  const select = (selected) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === selected);
      tab.tabIndex = tab === selected ? 0 : -1;
      panel(tab).hidden = tab !== selected;
    }
    say("");
  };
  tabs.forEach((tab, index) => {
    panel(tab).setAttribute("role", "tabpanel");
    panel(tab).setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const other = tabs[1 - index];
      select(other);
      other.focus();
    });
  });
  the("tabs").hidden = false;
}

/** Shows the session. */
function show(session) {
  the("nobody").hidden = Boolean(session);
  the("somebody").hidden = !session;
  if (!session) return;
  const { user } = session;
  the("keep").hidden = !user.is_anonymous;
  const [head, claims] = session.access_token.split(".").slice(0, 2).map(decoded);
  describe(the("facts"), [
    ["User", user.is_anonymous ? "Anonymous" : user.email || user.phone || user.id],
    ["Name", user.user_metadata?.name],
    ["Confirmed", user.email_confirmed_at && new Date(user.email_confirmed_at).toLocaleString()],
    ["Signed in by", claims.amr?.map((by) => by.provider ?? by.method).join(", ")],
    ["Issued", time(claims.iat)],
    ["Expires", time(claims.exp)],
    ["Signed with", head.alg],
  ]);
  the("claims").textContent = JSON.stringify(claims, null, 2);
}

function decoded(part) {
  const text = part.replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

function time(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString();
}
