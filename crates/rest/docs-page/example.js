// Makes examples of schemas, and chooses those that the document has.

/** Texts of formats, as people would write them. */
const FORMATS = {
  __proto__: null,
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  email: "ada@example.com",
  hostname: "inn.example",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  time: "12:00:00Z",
  uri: "https://inn.example/",
  url: "https://inn.example/",
  uuid: "0b1f6c1e-6d3b-4a57-9a53-2d1c3b0c7d10",
};

/** Returns the first example that an object of the document gives, as `{ value }`. */
function givenExample(object) {
  if (!object || typeof object !== "object") return null;
  if (Object.hasOwn(object, "example")) return { value: object.example };
  const examples = object.examples;
  if (Array.isArray(examples) && examples.length > 0) return { value: examples[0] };
  for (const [, example] of entries(Array.isArray(examples) ? null : examples)) {
    const found = resolve(example);
    if (found && Object.hasOwn(found, "value")) return { value: found.value };
  }
  return null;
}

/** Returns a value that a schema describes. Schemas inside themselves end the example. */
function exampleOf(schema, outer = []) {
  if (!schema || typeof schema !== "object") return null;
  if (typeof schema.$ref === "string") {
    if (outer.includes(schema.$ref)) return null;
    return exampleOf(resolve(schema), [...outer, schema.$ref]);
  }
  const given = givenExample(schema);
  if (given) return given.value;
  for (const keyword of ["const", "default"]) {
    if (Object.hasOwn(schema, keyword)) return schema[keyword];
  }
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const { variants } = alternativesOf(schema);
  if (variants.length > 0) return exampleOf(variants[0], outer);
  if (Array.isArray(schema.allOf)) return mergedExample(schema, outer);
  return exampleOfType(schema, outer);
}

function mergedExample(schema, outer) {
  const parts = [...schema.allOf, { ...schema, allOf: undefined }].map((part) => exampleOf(part, outer));
  const objects = parts.filter((part) => part && typeof part === "object" && !Array.isArray(part));
  return objects.length > 0 ? Object.assign({}, ...objects) : (parts.find((part) => part !== null) ?? null);
}

function exampleOfType(schema, outer) {
  const type = typesOf(schema).types[0] ?? (schema.properties ? "object" : undefined);
  switch (type) {
    case "object":
      return exampleObject(schema, outer);
    case "array": {
      if (schema.prefixItems) return schema.prefixItems.map((item) => exampleOf(item, outer));
      const item = schema.items ? exampleOf(schema.items, outer) : null;
      return item === null ? [] : [item];
    }
    case "string":
      return FORMATS[schema.format] ?? "text".padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? 4000);
    case "integer":
    case "number":
      return schema.minimum > 0 ? schema.minimum : Math.min(1, schema.maximum ?? 1);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function exampleObject(schema, outer) {
  const value = {};
  for (const [name, property] of entries(schema.properties)) {
    if (resolve(property)?.readOnly === true) continue;
    const example = exampleOf(property, outer);
    // A member that would be null tells nothing, unless it must be there.
    if (example !== null || schema.required?.includes(name)) value[name] = example;
  }
  if (isMap(schema) && !schema.properties) value.name = exampleOf(schema.additionalProperties, outer);
  return value;
}

/** Returns the example of a body: the one that the document gives, or one made from the schema. */
function bodyExample(media) {
  const given = givenExample(media);
  return given ? given.value : exampleOf(media?.schema ?? {});
}

/** Returns the example of a parameter as text; empty if there is none. */
function parameterExample(parameter) {
  const media = Object.values(parameter.content ?? {})[0];
  const schema = resolve(parameter.schema ?? media?.schema) ?? {};
  const given = givenExample(parameter) ?? givenExample(media) ?? givenExample(schema);
  if (given) return parameterText(given.value);
  if (Object.hasOwn(schema, "default")) return parameterText(schema.default);
  return "";
}

function parameterText(value) {
  if (Array.isArray(value)) return value.map(parameterText).join("\n");
  return value !== null && typeof value === "object" ? json(value) : String(value ?? "");
}
