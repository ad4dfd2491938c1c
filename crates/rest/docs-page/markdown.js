// Shows the Markdown that descriptions usually have: paragraphs, lists, code, emphasis and links.

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:])/g;

/** Returns the nodes of a text in one line. */
function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, codeText, strongText, linkText, linkTarget, address] = match;
    nodes.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (codeText !== undefined) nodes.push(code(codeText));
    else if (strongText !== undefined) nodes.push(el("strong", null, inline(strongText)));
    else nodes.push(link(linkText ?? address, linkTarget ?? address));
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== "");
}

/** Returns a link, or its text if the target is not an address that is safe to follow. */
function link(text, target) {
  let address = null;
  try {
    address = new URL(target, document.baseURI);
  } catch {
    return text;
  }
  const isSafe = ["http:", "https:", "mailto:"].includes(address.protocol);
  return isSafe ? el("a", { href: address.href, rel: "noreferrer" }, text) : text;
}

/** Returns the blocks of a description. */
function prose(text) {
  if (typeof text !== "string" || text.trim() === "") return [];
  const blocks = [];
  // Code between fences may have empty lines.
  text.split(/^```.*$/m).forEach((part, number) => {
    if (number % 2 === 1) {
      blocks.push(el("pre", null, code(part.replace(/^\n|\n$/g, ""))));
      return;
    }
    for (const paragraph of part.split(/\n\s*\n/)) {
      if (paragraph.trim() !== "") blocks.push(block(paragraph.trim()));
    }
  });
  return blocks;
}

function block(text) {
  const heading = /^#{1,6}\s+(.*)$/.exec(text);
  if (heading) return el("p", null, el("strong", null, inline(heading[1])));
  const items = text.split(/^\s*[-*]\s+/m);
  if (items.length > 1) {
    const list = el("ul", null, items.slice(1).map((item) => el("li", null, inline(joined(item)))));
    return items[0].trim() === "" ? list : el("div", null, el("p", null, inline(joined(items[0]))), list);
  }
  return el("p", null, inline(joined(text)));
}

function joined(text) {
  return text.replace(/\s+/g, " ").trim();
}
