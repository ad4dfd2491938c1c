// Shows one operation: what it does, what it takes, what it answers.

const PLACES = [["path", "Path parameters"], ["query", "Query parameters"], ["header", "Header parameters"], ["cookie", "Cookie parameters"]];

function methodBadge(method) {
  return el("span", { class: "method", "data-method": method }, method);
}

function operationView(entry) {
  const { operation, path, method } = entry;
  const { form, samples } = tryView(entry);
  const heading = el("h2", { tabindex: "-1" }, "Try it");
  const jump = el("button", { type: "button", class: "jump" }, "Try it");
  jump.addEventListener("click", () => {
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  });
  return [
    el("h1", { tabindex: "-1" }, inline(entry.title)),
    el("p", { class: "target" }, methodBadge(method), " ", code(path), jump),
    operation.deprecated ? el("p", { class: "warning" }, "This operation is deprecated.") : null,
    prose(operation.description),
    securityView(operation),
    parametersView(entry.parameters),
    bodyView(resolve(operation.requestBody)),
    el("section", null, el("h2", null, "Responses"), entries(operation.responses).map(responseView)),
    el("section", null, el("h2", null, "Samples"), samples),
    el("section", null, heading, form),
  ];
}

function securityView(operation) {
  const ways = securityOf(operation);
  if (ways.length === 0) return null;
  const items = ways.map((way) => {
    if (way.length === 0) return el("li", null, "no credentials");
    return el("li", null, way.map(({ name, scopes, scheme }, number) => [
      number > 0 ? " and " : "", code(name), `: ${schemeWords(scheme)}`,
      scopes?.length > 0 ? [", with ", scopes.flatMap((scope, index) => [index > 0 ? ", " : "", code(scope)])] : null,
      typeof scheme.description === "string" ? el("span", { class: "hint" }, " ", inline(joined(scheme.description))) : null,
    ]));
  });
  return el("section", null, el("h2", null, "Authorization"), el("ul", null, items));
}

function schemeWords(scheme) {
  if (scheme.type === "apiKey") return `the key in the ${scheme.in === "query" ? "query parameter" : scheme.in} ${scheme.name}`;
  if (scheme.type === "http") return `${scheme.scheme}${scheme.bearerFormat ? ` (${scheme.bearerFormat})` : ""} in the header Authorization`;
  return String(scheme.type ?? "unknown");
}

function parametersView(parameters) {
  const sections = PLACES.map(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) return null;
    return el("section", null, el("h2", null, title), el("ul", { class: "properties" }, here.map(parameterView)));
  });
  return sections;
}

function parameterView(parameter) {
  const media = entries(parameter.content)[0];
  const schema = parameter.schema ?? media?.[1]?.schema ?? {};
  const item = propertyView(code(parameter.name, "name"), schema, parameter.required === true, []);
  const first = item.firstChild;
  if (parameter.deprecated) first.append(" ", el("span", { class: "warning" }, "deprecated"));
  // What the parameter says is nearer than what its type says.
  first.after(...prose(parameter.description));
  const given = givenExample(parameter) ?? givenExample(media?.[1]);
  if (given) item.append(el("p", { class: "hint" }, "For example ", code(parameterText(given.value))));
  if (media) item.append(el("p", { class: "hint" }, "Written as ", code(media[0])));
  return item;
}

function bodyView(request) {
  if (!request) return null;
  return el("section", null, el("h2", null, "Body"), prose(request.description),
    el("p", { class: "hint" }, request.required ? "Required." : "Optional."), contentView(request.content));
}

/** Shows what each media type holds. */
function contentView(content) {
  return entries(content).map(([type, media]) => [
    el("h3", null, code(type)),
    media?.schema === undefined ? el("p", { class: "hint" }, "Any content.") : schemaView(media.schema),
    examplesView(type, media),
  ]);
}

function examplesView(type, media) {
  const named = entries(Array.isArray(media?.examples) ? null : media?.examples).map(([name, example]) => [name, resolve(example)]);
  if (named.length > 0) {
    return named.map(([name, example]) => disclosure(`Example: ${example?.summary ?? name}`, false, () =>
      el("div", null, prose(example?.description), exampleBlock(example?.value))));
  }
  if (bodyForm(type, media) !== "json" && !givenExample(media)) return null;
  return disclosure("Example", false, () => exampleBlock(bodyExample(media)));
}

function exampleBlock(value) {
  return codeBlock(typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");
}

function responseView([status, given]) {
  const response = resolve(given) ?? {};
  const isSuccess = status.startsWith("2");
  const summary = [el("span", { class: "status" }, status === "default" ? "other" : status), " ", inline(joined(String(response.description ?? "")))];
  const headers = entries(response.headers);
  return disclosure(summary, isSuccess, () => el("div", { class: "inside" },
    contentView(response.content),
    entries(response.content).length === 0 ? el("p", { class: "hint" }, "No body.") : null,
    headers.length > 0 ? disclosure(`Headers (${headers.length})`, false, () => el("ul", { class: "properties" }, headers.map(headerView))) : null));
}

function headerView([name, given]) {
  const header = resolve(given) ?? {};
  return parameterView({ ...header, name });
}

/** Shows a named schema, and the operations that use it. */
function namedSchemaView(name, schema, users) {
  return [
    el("h1", { tabindex: "-1" }, code(name)),
    schemaView(schema, [`#/components/schemas/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`]),
    disclosure("Example", false, () => exampleBlock(exampleOf(schema))),
    users.length > 0 ? el("section", null, el("h2", null, "Used by"), operationList(users)) : null,
  ];
}

function operationList(operations) {
  return el("ul", { class: "operations" }, operations.map((entry) =>
    el("li", null, el("a", { href: operationHref(entry) }, methodBadge(entry.method), " ", code(entry.path)),
      el("span", { class: "about" }, inline(joined(entry.title))))));
}

function operationHref(entry) {
  return `#/operation/${encodeURIComponent(entry.id)}`;
}
