// The console page: the state of a game server, its live output, an input line and power buttons.
//
// It is opened as `console#server=<id>&ticket=<ticket>`. Browsers send no fragments, so the ticket reaches the server
// only in the handshake of the websocket. A ticket works once; the server hands out the next one in `hello`, with which
// the page connects again after a lost connection or a reload.
import { plainView, terminalView } from "./view.js";

const PROTOCOL = "innkeeper.console.v1";
/** How many lines are shown at first. */
const TAIL = 500;
/** The waiting times before attempts to connect again, in milliseconds. */
const DELAYS = [0, 1000, 2000, 5000, 10000, 30000];
/** How often a handshake may be refused by a server that responds, until the page gives up. */
const REFUSALS = 3;
/** How long the button to kill a server waits for the second click, in milliseconds. */
const CONFIRMATION = 5000;
/** How many typed commands the arrow keys bring back. */
const HISTORY = 100;
/** Close codes after which connecting again is of no use. */
const FINAL = new Map([
  [4401, "The API key that opened this console is not valid any more."],
  [4403, "The API key that opened this console may not read it any more."],
  [4404, "The server was removed."],
  [4409, "The server is suspended."],
  [4429, "This console is open too many times. Close one of the others and open it again."],
]);
const NO_TICKET = "This page needs a new link. A link to a console works once and for a short time: open the console again "
  + "from the page that led you here.";

const the = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.hash.slice(1));
const server = parameters.get("server") ?? "";
const memory = `innkeeper-console ${server}`;

let view;
let socket;
let ticket = parameters.get("ticket") ?? sessionStorage.getItem(memory);
let state = "";
let scopes = [];
/** The number of the last line that was shown. */
let last = null;
let attempts = 0;
let refusals = 0;
let calls = 0;

start();

async function start() {
  the("server").textContent = server;
  document.title = server ? `Console of ${server}` : "Console";
  addEventListener("hashchange", () => location.reload());
  if (!server || !ticket) return giveUp(NO_TICKET);
  // The ticket stays neither in the address nor in the history.
  history.replaceState(null, "", `#server=${encodeURIComponent(server)}`);
  view = await viewOf(the("log"));
  listenToInput();
  listenToButtons();
  the("reconnect").addEventListener("click", () => connect());
  connect();
}

/** Returns the terminal, or plain text in a build or a browser without it. */
function viewOf(place) {
  if (document.body.dataset.terminal !== "xterm") return plainView(place);
  return terminalView(place).catch(() => plainView(place));
}

/** Opens the websocket; it uses the ticket up. */
function connect() {
  the("reconnect").hidden = true;
  notice(last === null ? "Connecting …" : "Connecting again …");
  const url = new URL(`hosting/game/console/${encodeURIComponent(server)}/websocket`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.hash = "";
  url.search = last === null ? `?tail=${TAIL}` : `?since=${last}`;
  socket = new WebSocket(url, [PROTOCOL, `ticket.${ticket}`]);
  const opened = { isGreeted: false, heard: Date.now(), timer: 0 };
  socket.addEventListener("message", ({ data }) => {
    opened.heard = Date.now();
    const frame = JSON.parse(data);
    if (frame.type === "hello") {
      opened.isGreeted = true;
      opened.timer = watch(socket, opened, frame.heartbeatMs ?? 25000);
    }
    receive(frame);
  });
  socket.addEventListener("close", (event) => {
    clearInterval(opened.timer);
    closed(event, opened.isGreeted);
  });
}

/** Notices a connection that was lost without a word. */
function watch(socket, opened, interval) {
  return setInterval(() => {
    if (Date.now() - opened.heard > 2.5 * interval) socket.close();
    else if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "ping" }));
  }, interval);
}

function receive(frame) {
  switch (frame.type) {
    case "hello": return greeted(frame);
    case "ticket": return remember(frame.ticket);
    case "log": return showLines(frame.lines);
    case "state": return setState(frame.to);
    case "action": return showAction(frame.action ?? frame);
    case "dropped": return view.append([{ stream: "system", text: missing(frame) }]);
    case "throttled": return answer(`Too many at once. Try again in ${Math.ceil(frame.retryAfterMs / 1000)} s.`, true);
    case "error": return answer(frame.detail ?? frame.code, true);
  }
}

function greeted(frame) {
  attempts = 0;
  refusals = 0;
  scopes = frame.scopes ?? [];
  remember(frame.ticket);
  notice("");
  the("input").hidden = !allows("game:console:write");
  for (const button of the("power").children) button.hidden = !allows(scopeOf(button.value));
  the("power").hidden = [...the("power").children].every((button) => button.hidden);
  setState(frame.state);
}

/** Keeps the ticket for the next connection, also for one after a reload of this page. */
function remember(next) {
  ticket = next ?? null;
  if (ticket) sessionStorage.setItem(memory, ticket);
  else sessionStorage.removeItem(memory);
}

function allows(scope) {
  return scopes.includes(scope) || scopes.includes("*");
}

function scopeOf(action) {
  return action === "kill" ? "game:kill" : "game:power";
}

function missing({ count, bytes }) {
  return count ? `${count} lines were left out.` : `${bytes ?? 0} bytes of output are missing.`;
}

function showLines(lines) {
  view.append(lines);
  if (lines.length) last = lines.at(-1).seq;
}

function showAction(action) {
  if (action.status === "error") answer(action.error?.message ?? `The server could not ${action.command}.`, true);
}

function setState(next) {
  state = next;
  const badge = the("state");
  badge.textContent = state;
  badge.classList.toggle("good", state === "running");
  badge.classList.toggle("bad", ["crashed", "failed", "suspended", "unknown"].includes(state));
  enable();
}

/** Enables what can be used in the current state. */
function enable() {
  const isOpen = socket?.readyState === WebSocket.OPEN;
  const isOff = ["stopped", "crashed", "failed"].includes(state);
  const isOn = ["starting", "running", "stopping", "restarting"].includes(state);
  const isUsable = {
    start: isOff,
    stop: ["starting", "running", "restarting"].includes(state),
    restart: state === "running",
    kill: isOn,
  };
  for (const button of the("power").children) button.disabled = !isOpen || !isUsable[button.value];
  for (const control of the("input").elements) control.disabled = !isOpen || !isOn;
}

function send(frame) {
  socket.send(JSON.stringify({ ...frame, ref: String(++calls) }));
}

function listenToInput() {
  const [line, typed] = [the("line"), []];
  let place = 0;
  the("input").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!line.value.trim() || socket?.readyState !== WebSocket.OPEN) return;
    answer("");
    send({ type: "command", text: line.value });
    typed.push(line.value);
    if (typed.length > HISTORY) typed.shift();
    place = typed.length;
    line.value = "";
  });
  line.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    place = Math.min(Math.max(place + step, 0), typed.length);
    line.value = typed[place] ?? "";
  });
}

function listenToButtons() {
  for (const button of the("power").children) {
    button.addEventListener("click", () => {
      if (button.value === "kill" && !button.dataset.armed) return arm(button);
      answer("");
      send({ type: "power", action: button.value });
    });
  }
}

/** Killing loses what the game has not saved, so it takes a second click. */
function arm(button) {
  const label = button.textContent;
  button.dataset.armed = "1";
  button.textContent = "Really kill?";
  const disarm = () => {
    clearTimeout(timer);
    delete button.dataset.armed;
    button.textContent = label;
  };
  const timer = setTimeout(disarm, CONFIRMATION);
  button.addEventListener("click", () => queueMicrotask(disarm), { once: true });
}

async function closed({ code, reason }, wasGreeted) {
  enable();
  if (FINAL.has(code)) return giveUp(FINAL.get(code));
  if (code === 1008) return giveUp(`The connection was closed: ${reason || "a message was not valid"}.`);
  if (!ticket) return giveUp(NO_TICKET);
  if (!wasGreeted && (await responds()) && ++refusals >= REFUSALS) return giveUp(NO_TICKET);
  const delay = DELAYS[Math.min(attempts++, DELAYS.length - 1)];
  notice(delay ? `The connection was lost. Trying again in ${delay / 1000} s.` : "The connection was lost.");
  the("reconnect").hidden = !delay;
  const current = socket;
  setTimeout(() => {
    if (socket === current) connect();
  }, delay);
}

/** Tells whether the server responds at all. A browser does not tell why a handshake failed. */
function responds() {
  return fetch(location.pathname, { method: "HEAD", cache: "no-store" }).then((response) => response.ok, () => false);
}

function giveUp(text) {
  remember(null);
  notice(text);
  the("reconnect").hidden = true;
  enable();
}

function notice(text) {
  the("notice").hidden = !text;
  the("notice-text").textContent = text;
}

function answer(text, isBad = false) {
  the("answer").textContent = text;
  the("answer").classList.toggle("bad", isBad);
}
