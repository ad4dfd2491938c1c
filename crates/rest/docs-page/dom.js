// Makes elements. Text of the document only ever becomes text nodes and attribute values, never markup.

/** Makes an element. Children are nodes, texts, or lists of them; null and false are left out. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function code(text, className) {
  return el("code", className ? { class: className } : null, String(text));
}

/** Makes a details element whose content is made when it is first opened. */
function disclosure(summary, isOpen, makeContent) {
  const details = el("details", null, el("summary", null, summary));
  const fill = () => {
    if (details.childElementCount === 1) details.append(makeContent());
  };
  if (isOpen) {
    details.open = true;
    fill();
  }
  details.addEventListener("toggle", fill);
  return details;
}

/** Makes a block of code with a button that copies it. */
function codeBlock(text) {
  const pre = el("pre", null, code(text));
  if (!navigator.clipboard) return pre;
  const button = el("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return el("div", { class: "code" }, pre, button);
}

let lastId = 0;

/** Returns an id that no other element has. */
function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** Makes a labelled control; the hint describes it. */
function field(label, control, hint) {
  control.id = newId("field");
  const parts = [el("label", { for: control.id }, label), control];
  if (hint) {
    const described = el("p", { class: "hint", id: `${control.id}-hint` }, hint);
    control.setAttribute("aria-describedby", described.id);
    parts.push(described);
  }
  return el("div", { class: "field" }, parts);
}
