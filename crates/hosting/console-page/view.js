// The two ways in which the console page shows lines: a terminal, or plain text.

/** How many lines are kept. */
const LINES = 5000;
/** Escape sequences of terminals: of colours and the cursor, of titles and links, and others. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
const PREFIXES = { input: "> " };

/** Shows lines in a terminal, which understands colours. */
export async function terminalView(place) {
  const [{ Terminal, FitAddon }] = await Promise.all([import("./xterm.js"), style("xterm.css")]);
  const terminal = new Terminal({
    disableStdin: true,
    fontFamily: "ui-monospace, monospace",
    fontSize: 14,
    screenReaderMode: true,
    scrollback: LINES,
    theme: { background: "#16191b", foreground: "#e8e8e4", brightBlack: "#a0a7a3" },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(place);
  // The terminal takes no input, so keys keep their meaning in the browser, except those that scroll.
  terminal.attachCustomKeyEventHandler((event) => event.shiftKey && event.key.startsWith("Page"));
  new ResizeObserver(() => fit.fit()).observe(place);
  terminal.write("\u001b[?25l");
  const colours = { input: "\u001b[94m", system: "\u001b[3;90m" };
  const ended = ({ stream, text }) => `${colours[stream] ?? ""}${PREFIXES[stream] ?? ""}${text}\u001b[0m\r\n`;
  return { append: (lines) => terminal.write(lines.map(ended).join("")) };
}

/** Shows lines as text, for a build without the terminal. */
export function plainView(place) {
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  place.append(pre);
  const append = (lines) => {
    const isAtEnd = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
    for (const { stream, text } of lines) {
      const line = document.createElement("span");
      line.className = stream;
      line.textContent = `${PREFIXES[stream] ?? ""}${text.replace(ESCAPES, "")}\n`;
      pre.append(line);
    }
    while (pre.childElementCount > LINES) pre.firstElementChild.remove();
    if (isAtEnd) pre.scrollTop = pre.scrollHeight;
  };
  return { append };
}

function style(file) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL(file, import.meta.url);
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${file} cannot be loaded`)));
  });
  document.head.append(link);
  return loaded;
}
