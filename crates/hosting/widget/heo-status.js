/* Shows the status of a service in any page. See docs/hosting/widget.md. */
(function () {
  "use strict";
  var script = document.currentScript;
  if (!script || !window.fetch || !Element.prototype.attachShadow) return;
  var base = new URL(script.src, location.href);
  if (!/^https?:$/.test(base.protocol)) return;
  var set = script.dataset;
  var api = base.href.replace(/\/heo-status(?:\/[^/]+\/heo-status)?\.js.*$/, "/status");

  var words = {
    en: {
      none: "All systems operational", maintenance: "Maintenance in progress", minor: "Minor problems",
      major: "Partial outage", critical: "Major outage", more: "Details", close: "Dismiss",
      label: "Service status", planned: "Planned"
    },
    de: {
      none: "Alle Systeme in Betrieb", maintenance: "Wartungsarbeiten", minor: "Kleinere Störungen",
      major: "Teilausfall", critical: "Großer Ausfall", more: "Einzelheiten", close: "Schließen",
      label: "Status des Dienstes", planned: "Geplant"
    },
    fr: {
      none: "Tous les systèmes fonctionnent", maintenance: "Maintenance en cours",
      minor: "Problèmes mineurs", major: "Panne partielle", critical: "Panne majeure",
      more: "Détails", close: "Fermer", label: "État du service", planned: "Prévu"
    },
    es: {
      none: "Todos los sistemas operativos", maintenance: "Mantenimiento en curso",
      minor: "Problemas menores", major: "Interrupción parcial", critical: "Interrupción grave",
      more: "Detalles", close: "Cerrar", label: "Estado del servicio", planned: "Previsto"
    },
    nl: {
      none: "Alle systemen werken", maintenance: "Onderhoud bezig", minor: "Kleine problemen",
      major: "Gedeeltelijke storing", critical: "Grote storing", more: "Details", close: "Sluiten",
      label: "Status van de dienst", planned: "Gepland"
    },
    fi: {
      none: "Kaikki järjestelmät toimivat", maintenance: "Huolto käynnissä", minor: "Pieniä ongelmia",
      major: "Osittainen katkos", critical: "Laaja katkos", more: "Lisätietoja", close: "Sulje",
      label: "Palvelun tila", planned: "Suunniteltu"
    }
  };
  var asked = (set.lang || document.documentElement.lang || navigator.language || "en").toLowerCase();
  var lang = words[asked.split("-")[0]] ? asked.split("-")[0] : "en";
  var say = words[lang];

  /* White on each of the dark colours, and black on each of the light ones, has a contrast above 4.5. */
  var css =
    ":host{all:initial;display:block;--none:#1a7f37;--maintenance:#0969da;--minor:#9a6700;--major:#bc4c00;" +
    "--critical:#cf222e;--back:#fff;--text:#1f2328;--line:#59636e}" +
    ":host([theme=dark]){--none:#3fb950;--maintenance:#58a6ff;--minor:#d29922;--major:#f0883e;" +
    "--critical:#ff7b72;--back:#161b22;--text:#e6edf3;--line:#8b949e}" +
    "@media(prefers-color-scheme:dark){:host([theme=auto]){--none:#3fb950;--maintenance:#58a6ff;" +
    "--minor:#d29922;--major:#f0883e;--critical:#ff7b72;--back:#161b22;--text:#e6edf3;--line:#8b949e}}" +
    ".box{font:14px/1.4 system-ui,sans-serif;box-sizing:border-box;display:flex;gap:10px;" +
    "align-items:flex-start;max-width:360px;padding:10px 12px;border:1px solid var(--line);" +
    "border-left:5px solid var(--now);border-radius:6px;background:var(--back);color:var(--text)}" +
    ".box[hidden]{display:none}" +
    ":host([place]){position:fixed;z-index:2147483000;margin:16px}" +
    ":host([place^=bottom]){bottom:0}:host([place^=top]){top:0}" +
    ":host([place$=right]){right:0}:host([place$=left]){left:0}" +
    ".dot{flex:none;width:10px;height:10px;margin-top:5px;border-radius:50%;background:var(--now)}" +
    ".text{flex:1;min-width:0;overflow-wrap:anywhere}strong{display:block}" +
    "ul{margin:4px 0 0;padding:0;list-style:none}a{color:inherit}" +
    "button{all:unset;flex:none;cursor:pointer;padding:0 6px;border-radius:4px;font-size:18px;line-height:1.2}" +
    "a:focus-visible,button:focus-visible{outline:2px solid var(--now);outline-offset:2px}";

  function make(tag, text) {
    var node = document.createElement(tag);
    if (text) node.textContent = text;
    return node;
  }

  var host = make("heo-status");
  host.setAttribute("theme", /^(light|dark)$/.test(set.theme) ? set.theme : "auto");
  host.lang = lang;
  var root = host.attachShadow({ mode: "open" });
  /* A sheet that is made here needs no leave from a Content-Security-Policy, unlike a style element. */
  try {
    var sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch (_) {
    return;
  }
  var box = make("div");
  box.className = "box";
  box.hidden = true;
  box.setAttribute("role", "status");
  box.setAttribute("aria-live", "polite");
  box.setAttribute("aria-label", say.label);
  root.append(box);

  var quiet = set.show !== "always";
  var only = (set.components || "").split(",").map(function (id) { return id.trim(); }).filter(Boolean);
  var shown = "";
  var key = "heo-status:" + api;

  function memory(value) {
    /* Pages may be refused storage; then a dismissal holds as long as the page. */
    try {
      if (value !== undefined) sessionStorage.setItem(key, value);
      return sessionStorage.getItem(key);
    } catch (_) {
      if (value !== undefined) memory.own = value;
      return memory.own;
    }
  }

  function concerns(item) {
    if (!only.length || !item.components.length) return true;
    return item.components.some(function (id) { return only.indexOf(id) >= 0; });
  }

  var ranks = {
    operational: "none", under_maintenance: "maintenance", degraded_performance: "minor",
    partial_outage: "major", major_outage: "critical"
  };
  var order = ["none", "maintenance", "minor", "major", "critical"];

  /* How the chosen components are; the page says how the whole is. */
  function level(data, incidents) {
    if (!only.length) return order.indexOf(data.status.indicator) < 0 ? "none" : data.status.indicator;
    var worst = 0;
    data.components.forEach(function (one) {
      if (only.indexOf(one.id) >= 0) worst = Math.max(worst, order.indexOf(ranks[one.status] || "none"));
    });
    incidents.forEach(function (one) { worst = Math.max(worst, order.indexOf(one.impact)); });
    return order[worst];
  }

  /* The page for people may be relative to the API. */
  function address(reference) {
    try {
      return new URL(reference, api).href;
    } catch (_) {
      return "";
    }
  }

  function draw(data) {
    var incidents = data.incidents.filter(function (one) { return !one.resolvedAt && concerns(one); });
    var works = data.maintenances.filter(function (one) {
      return one.status !== "completed" && concerns(one);
    });
    var now = level(data, incidents);
    var lines = incidents.map(function (one) { return one.title; });
    works.forEach(function (one) {
      var from = new Date(one.scheduledFor).toLocaleString(lang, { dateStyle: "medium", timeStyle: "short" });
      if (one.status === "in_progress") lines.push(one.title);
      else if (set.planned !== "no") lines.push(say.planned + ": " + one.title + ", " + from);
    });
    var details = address(data.page.details || data.page.url);
    var story = JSON.stringify([now, lines, details]);
    var hide = (now === "none" && quiet && !lines.length) || memory() === story;
    if (hide) {
      box.hidden = true;
      shown = "";
      return;
    }
    if (story === shown) return;
    shown = story;
    box.style.setProperty("--now", "var(--" + now + ")");
    var dot = make("span");
    dot.className = "dot";
    dot.setAttribute("aria-hidden", "true");
    var text = make("div");
    text.className = "text";
    text.append(make("strong", say[now]));
    var list = make("ul");
    lines.slice(0, 4).forEach(function (line) { list.append(make("li", line)); });
    if (lines.length) text.append(list);
    if (/^https?:\/\//.test(details)) {
      var link = make("a", say.more);
      link.href = details;
      link.rel = "noopener";
      text.append(link);
    }
    var close = make("button", "×");
    close.type = "button";
    close.setAttribute("aria-label", say.close);
    close.addEventListener("click", function () {
      memory(story);
      box.hidden = true;
      shown = "";
    });
    box.replaceChildren(dot, text, close);
    box.hidden = false;
  }

  var pause = Math.max(30, Number(set.poll) || 60) * 1000;

  function look() {
    if (document.hidden) return;
    fetch(api, { credentials: "omit", referrerPolicy: "no-referrer" })
      .then(function (answer) { return answer.ok ? answer.json() : null; })
      .then(function (data) { if (data) draw(data); })
      /* The page must not notice that we are away, or not welcome here. */
      .catch(function () {});
  }

  function start() {
    var place = null;
    try {
      place = set.target ? document.querySelector(set.target) : null;
    } catch (_) { /* What is no selector selects nothing. */ }
    if (!place) {
      var corner = /^(top|bottom)-(left|right)$/.test(set.position) ? set.position : "bottom-right";
      host.setAttribute("place", corner);
    }
    (place || document.body).append(host);
    look();
    setInterval(look, pause);
    document.addEventListener("visibilitychange", look);
  }

  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();
