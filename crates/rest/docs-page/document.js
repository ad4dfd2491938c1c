// Reads the OpenAPI document: operations, parameters, security, and what references lead to.

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/** The document, once it is loaded. */
let api = null;

/** Returns what a reference leads to; keywords beside it win. What leads nowhere stays as it is. */
function resolve(value) {
  const seen = new Set();
  let found = value;
  while (found && typeof found === "object" && typeof found.$ref === "string" && !seen.has(found.$ref)) {
    seen.add(found.$ref);
    const target = targetOf(found.$ref);
    if (target === undefined) return found;
    const { $ref, ...beside } = found;
    found = typeof target === "object" && target !== null ? { ...target, ...beside } : target;
  }
  return found;
}

/** Returns the part of the document that a reference such as `#/components/schemas/Book` names. */
function targetOf(reference) {
  if (!reference.startsWith("#/")) return undefined;
  let found = api;
  for (const part of reference.slice(2).split("/")) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (found === null || typeof found !== "object" || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** Decodes a part of an address; one that is malformed stays as it is. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the last part of a reference, which is the name of a schema. */
function nameOf(reference) {
  const part = reference.split("/").pop() ?? reference;
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function entries(object) {
  return object && typeof object === "object" ? Object.entries(object) : [];
}

/** Returns all operations of the document, in its order. */
function allOperations() {
  const found = [];
  const taken = new Set();
  const add = (method, path, operation, item) => {
    if (!operation || typeof operation !== "object") return;
    let id = String(operation.operationId ?? `${method} ${path}`);
    while (taken.has(id)) id += "'";
    taken.add(id);
    found.push({
      id,
      path,
      method: method.toUpperCase(),
      operation,
      parameters: parametersOf(item, operation),
      tag: String(operation.tags?.[0] ?? "Other"),
      title: String(operation.summary || `${method.toUpperCase()} ${path}`),
    });
  };
  for (const [path, given] of entries(api.paths)) {
    const item = resolve(given) ?? {};
    for (const method of METHODS) add(method, path, item[method], item);
    // Methods that OpenAPI does not know, and routes that differ in the patterns of their parameters.
    const others = { ...item["x-additional-operations"], ...item.additionalOperations };
    for (const [method, operation] of entries(others)) add(method, path, operation, item);
    for (const operation of item["x-alternatives"] ?? []) {
      add(operation["x-method"] ?? "get", operation["x-path"] ?? path, operation, item);
    }
  }
  return found;
}

/** Returns the parameters of an operation with those of its path; its own win. */
function parametersOf(item, operation) {
  const all = new Map();
  for (const given of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const parameter = resolve(given);
    if (parameter && typeof parameter.name === "string") all.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...all.values()];
}

/** Returns the tags in the order of the document, each with its operations. */
function groupsOf(operations) {
  const groups = new Map();
  for (const tag of api.tags ?? []) groups.set(String(tag.name), { about: tag.description, operations: [] });
  for (const operation of operations) {
    if (!groups.has(operation.tag)) groups.set(operation.tag, { about: "", operations: [] });
    groups.get(operation.tag).operations.push(operation);
  }
  return [...groups].filter(([, group]) => group.operations.length > 0);
}

/**
 * Returns the ways to authorize an operation. Each is a list of schemes, all of which are needed; the empty list means
 * that no credentials are needed.
 */
function securityOf(operation) {
  const ways = operation.security ?? api.security ?? [];
  const schemes = api.components?.securitySchemes ?? {};
  return ways.map((way) =>
    entries(way).map(([name, scopes]) => ({ name, scopes, scheme: resolve(schemes[name]) ?? {} })),
  );
}

/** Returns the address that paths are appended to. */
function baseAddress() {
  const server = api.servers?.[0];
  let url = String(server?.url ?? "/");
  for (const [name, variable] of entries(server?.variables)) url = url.replaceAll(`{${name}}`, variable.default ?? "");
  try {
    return new URL(url, api.address).href.replace(/\/$/, "");
  } catch {
    return location.origin;
  }
}
