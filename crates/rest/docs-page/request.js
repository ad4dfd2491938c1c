// Makes a request of what a person fills in: address, headers and body.

/** Returns the value of a parameter as its schema wants it: a text, a list of texts, or an object. */
function parameterValue(parameter, text) {
  if (parameter.content) return text;
  const type = typesOf(resolve(parameter.schema) ?? {}).types[0];
  if (type === "array") return text.split("\n").filter((line) => line !== "");
  if (type !== "object") return text;
  try {
    const value = JSON.parse(text);
    return value && typeof value === "object" ? value : text;
  } catch {
    return text;
  }
}

/** Returns the names and values of an object, with nested values as JSON. */
function flatEntries(value) {
  return entries(value).map(([name, part]) => [name, typeof part === "string" ? part : json(part)]);
}

/** Returns the pairs of a parameter in the query. */
function queryPairs(parameter, value) {
  const { name } = parameter;
  const style = parameter.style ?? "form";
  const isExploded = parameter.explode ?? style === "form";
  if (Array.isArray(value)) {
    const separators = { __proto__: null, spaceDelimited: " ", pipeDelimited: "|" };
    return isExploded ? value.map((part) => [name, part]) : [[name, value.join(separators[style] ?? ",")]];
  }
  if (typeof value === "object") {
    if (style === "deepObject") return flatEntries(value).map(([key, part]) => [`${name}[${key}]`, part]);
    return isExploded ? flatEntries(value) : [[name, flatEntries(value).flat().join(",")]];
  }
  return [[name, value]];
}

/** Returns a parameter in the path. */
function pathPart(parameter, value) {
  const encode = (text) => (parameter["x-tail"] ? text.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(text));
  const isExploded = parameter.explode ?? false;
  const pairs = flatEntries(typeof value === "object" && !Array.isArray(value) ? value : null).map((pair) => pair.map(encode));
  const list = Array.isArray(value) ? value.map(encode) : null;
  switch (parameter.style) {
    case "matrix":
      if (list) return isExploded ? list.map((part) => `;${parameter.name}=${part}`).join("") : `;${parameter.name}=${list.join(",")}`;
      if (pairs.length > 0) return isExploded ? pairs.map((pair) => `;${pair.join("=")}`).join("") : `;${parameter.name}=${pairs.flat().join(",")}`;
      return typeof value === "object" ? "" : `;${parameter.name}=${encode(value)}`;
    case "label":
      return `.${(list ?? (pairs.length > 0 ? pairs.map((pair) => pair.join(isExploded ? "=" : ".")) : [encode(String(value))])).join(".")}`;
    default:
      if (list) return list.join(",");
      if (pairs.length > 0) return pairs.map((pair) => pair.join(isExploded ? "=" : ",")).join(",");
      return typeof value === "object" ? "" : encode(value);
  }
}

/** Returns the text of a parameter in a header or cookie. */
function headerText(parameter, value) {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? flatEntries(value).map((pair) => pair.join(parameter.explode ? "=" : ",")).join(",") : value;
}

/**
 * Returns the request of an operation: `{ method, url, headers, body }`.
 *
 * `values` has the text of each parameter by `in` and name, `credential` returns the value of a security scheme, and
 * `body` is null or `{ type, text }`, `{ type, fields }` or `{ type, file }`.
 */
function makeRequest(entry, values, way, credential, body, accept) {
  let path = entry.path;
  const query = [];
  const headers = [];
  const cookies = [];
  for (const parameter of entry.parameters) {
    const text = values.get(`${parameter.in} ${parameter.name}`) ?? "";
    if (text === "") continue;
    const value = parameterValue(parameter, text);
    if (parameter.in === "path") path = path.replaceAll(`{${parameter.name}}`, () => pathPart(parameter, value));
    else if (parameter.in === "query") query.push(...queryPairs(parameter, value));
    else if (parameter.in === "header") headers.push([parameter.name, headerText(parameter, value)]);
    else if (parameter.in === "cookie") cookies.push(`${parameter.name}=${headerText(parameter, value)}`);
  }
  if (accept) headers.push(["Accept", accept]);
  for (const { name, scheme } of way) {
    const value = credential(name, scheme);
    if (value === "") continue;
    if (scheme.type === "apiKey" && scheme.in === "query") query.push([scheme.name, value]);
    else if (scheme.type === "apiKey" && scheme.in === "cookie") cookies.push(`${scheme.name}=${value}`);
    else if (scheme.type === "apiKey") headers.push([scheme.name, value]);
    else headers.push(["Authorization", `${scheme.scheme?.toLowerCase() === "basic" ? "Basic" : "Bearer"} ${value}`]);
  }
  if (cookies.length > 0) headers.push(["Cookie", cookies.join("; ")]);
  if (body?.text !== undefined || body?.file) headers.push(["Content-Type", body.type]);
  const search = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return { method: entry.method, url: `${baseAddress()}${path}${search ? `?${search}` : ""}`, headers, body };
}

/** Returns the form of a body by its media type: `json`, `text`, `fields` or `file`. */
function bodyForm(type, media) {
  const name = type.split(";")[0].trim().toLowerCase();
  if (name === "application/json" || name.endsWith("+json")) return "json";
  if (name === "multipart/form-data" || name === "application/x-www-form-urlencoded") return "fields";
  const schema = resolve(media?.schema) ?? {};
  const isText = name.startsWith("text/") || name.endsWith("xml") || schema.type === "string" && schema.format !== "binary";
  return isText ? "text" : "file";
}
