// The fields of a request: parameters, body and credentials.

/** What a person has typed: credentials by the name of the scheme. They are kept until the page is left. */
const credentials = new Map();

/** Makes the control for a parameter or a field of a form. */
function control(schema, text, isRequired) {
  const found = resolve(schema) ?? {};
  const { types } = typesOf(found);
  const values = found.enum ?? (types[0] === "boolean" ? [true, false] : null);
  if (Array.isArray(values)) {
    const options = values.filter((value) => value !== null).map((value) => el("option", { value: String(value) }, String(value)));
    const select = el("select", null, isRequired ? null : el("option", { value: "" }, "not sent"), options);
    if (text !== "" || !isRequired) select.value = text;
    return select;
  }
  if (found.format === "binary") return el("input", { type: "file" });
  if (types[0] === "array" || types[0] === "object") {
    const area = el("textarea", { rows: "2", spellcheck: "false" });
    area.value = text;
    return area;
  }
  const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  if (types[0] === "integer") input.inputMode = "numeric";
  input.value = text;
  return input;
}

function hintOf(schema, type) {
  if (type === "array") return "One value per line.";
  return type === "object" ? "An object in JSON." : null;
}

/** Returns the fields of all parameters; `values()` reads them. */
function parameterFields(entry) {
  const controls = new Map();
  const fields = [];
  const others = [];
  for (const parameter of entry.parameters) {
    const schema = parameter.schema ?? Object.values(parameter.content ?? {})[0]?.schema ?? {};
    const example = parameterExample(parameter);
    const made = control(schema, parameter.required ? example : "", parameter.required);
    if (!parameter.required && example !== "" && made.matches("input")) made.placeholder = example;
    const isCookie = parameter.in === "cookie";
    made.disabled = isCookie;
    controls.set(`${parameter.in} ${parameter.name}`, made);
    const place = { __proto__: null, path: "path", query: "query", header: "header", cookie: "cookie" }[parameter.in] ?? "";
    const label = [parameter.name, " ", el("span", { class: "place" }, parameter.required ? `${place}, required` : place)];
    const hint = isCookie ? "Browsers do not let pages set cookies." : hintOf(schema, typesOf(resolve(schema) ?? {}).types[0]);
    const isSeldomSet = !parameter.required && (parameter.in === "header" || isCookie);
    (isSeldomSet ? others : fields).push(field(label, made, hint));
  }
  if (others.length > 0) fields.push(el("details", null, el("summary", null, `Optional headers (${others.length})`), others));
  const values = () => new Map([...controls].map(([name, made]) => [name, made.value]));
  return { fields, values };
}

/** Returns the fields of the body; `body()` reads them. */
function bodyFields(operation) {
  const request = resolve(operation.requestBody);
  const types = entries(request?.content);
  if (types.length === 0) return { fields: [], body: () => null };
  const place = el("div");
  let read = () => null;
  const choose = (number) => {
    const [type, media] = types[number];
    const made = { __proto__: null, json: textBody, text: textBody, fields: formBody, file: fileBody }[bodyForm(type, media)](type, media);
    read = made.read;
    place.replaceChildren(...made.fields);
  };
  choose(0);
  const fields = [place];
  if (types.length > 1) {
    const select = el("select", null, types.map(([type], number) => el("option", { value: String(number) }, type)));
    select.addEventListener("change", () => choose(Number(select.value)));
    fields.unshift(field("Content type", select));
  }
  return { fields, body: () => read() };
}

function textBody(type, media) {
  const area = el("textarea", { rows: "8", spellcheck: "false", class: "body" });
  const example = bodyExample(media);
  if (bodyForm(type, media) === "json") area.value = JSON.stringify(example, null, 2) ?? "";
  else area.value = typeof example === "string" ? example : "";
  return { fields: [field(`Body, ${type}`, area)], read: () => (area.value === "" ? null : { type, text: area.value }) };
}

function fileBody(type) {
  const input = el("input", { type: "file" });
  return { fields: [field(`Body, ${type}`, input)], read: () => (input.files[0] ? { type, file: input.files[0] } : null) };
}

function formBody(type, media) {
  const schema = resolve(media.schema) ?? {};
  const controls = [];
  const fields = entries(schema.properties).map(([name, property]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const example = isRequired ? parameterText(exampleOf(property)) : "";
    const made = control(property, example, isRequired);
    controls.push([name, made]);
    return field([name, isRequired ? [" ", el("span", { class: "place" }, "required")] : null], made);
  });
  const lines = el("textarea", { rows: "3", spellcheck: "false" });
  if (fields.length === 0) fields.push(field(`Body, ${type}`, lines, "One field per line, as name=value."));
  const read = () => {
    const filled = controls.map(([name, made]) => [name, made.type === "file" ? made.files[0] : made.value]);
    const typed = lines.value.split("\n").filter(Boolean).map((line) => [line.split("=")[0], line.split("=").slice(1).join("=")]);
    const sent = [...filled, ...typed].filter(([, value]) => value !== undefined && value !== "");
    return sent.length > 0 ? { type, fields: sent } : null;
  };
  return { fields, read };
}

/** Returns the fields of credentials; `way()` tells which schemes are chosen. */
function credentialFields(operation) {
  const ways = securityOf(operation);
  if (ways.length === 0) return { fields: [], way: () => [] };
  let chosen = ways[0];
  const place = el("div");
  const show = () => place.replaceChildren(...chosen.map(({ name, scheme }) => credentialField(name, scheme)));
  show();
  const fields = [place];
  if (ways.length > 1) {
    const label = (way) => way.map(({ name }) => name).join(" and ") || "nothing";
    const select = el("select", null, ways.map((way, number) => el("option", { value: String(number) }, label(way))));
    select.addEventListener("change", () => {
      chosen = ways[Number(select.value)];
      show();
    });
    fields.unshift(field("Authorize with", select));
  }
  return { fields, way: () => chosen };
}

function credentialField(name, scheme) {
  const isBasic = scheme.scheme?.toLowerCase() === "basic";
  const input = el("input", { type: "password", autocomplete: "off", spellcheck: "false" });
  input.value = credentials.get(name) ?? "";
  input.addEventListener("input", () => credentials.set(name, input.value.trim()));
  const kind = scheme.type === "apiKey" ? "key" : isBasic ? "user:password" : "token";
  return field(`${name} (${kind})`, input, "Kept until you leave this page, and sent only to this server.");
}

/** Returns the value of a scheme that is sent. */
function typedCredential(name, scheme) {
  const value = credentials.get(name) ?? "";
  const isBasic = scheme.scheme?.toLowerCase() === "basic";
  return isBasic && value !== "" ? btoa(String.fromCharCode(...new TextEncoder().encode(value))) : value;
}

/** Returns what stands for the value of a scheme in samples. */
function sampleCredential(name, scheme) {
  if (scheme.type === "apiKey") return "<API_KEY>";
  return scheme.scheme?.toLowerCase() === "basic" ? "<CREDENTIALS>" : "<TOKEN>";
}
