// Shows JSON schemas: the type in words, its limits, and its parts, as deep as they go.

/** Keywords that are shown as the type, as parts or as a sentence; all others are shown as they are written. */
const SHOWN = new Set([
  "$ref", "$defs", "$schema", "$id", "$comment", "type", "title", "description", "format", "enum", "const", "properties",
  "required", "items", "prefixItems", "additionalProperties", "patternProperties", "oneOf", "anyOf", "allOf", "nullable",
  "example", "examples", "discriminator", "xml", "externalDocs",
]);

/** Sentences about limits, by keyword. */
const LIMITS = {
  __proto__: null,
  minimum: (value) => ["at least ", code(value)],
  exclusiveMinimum: (value) => ["more than ", code(value)],
  maximum: (value) => ["at most ", code(value)],
  exclusiveMaximum: (value) => ["less than ", code(value)],
  multipleOf: (value) => ["a multiple of ", code(value)],
  minLength: (value) => [`at least ${counted(value, "character")}`],
  maxLength: (value) => [`at most ${counted(value, "character")}`],
  minItems: (value) => [`at least ${counted(value, "item")}`],
  maxItems: (value) => [`at most ${counted(value, "item")}`],
  minProperties: (value) => [`at least ${counted(value, "property", "properties")}`],
  maxProperties: (value) => [`at most ${counted(value, "property", "properties")}`],
  uniqueItems: (value) => (value ? ["no two items are equal"] : []),
  pattern: (value) => ["matches ", code(value)],
  default: (value) => (value === null ? [] : ["default ", code(json(value))]),
  readOnly: (value) => (value ? ["only in responses"] : []),
  writeOnly: (value) => (value ? ["only in requests"] : []),
  deprecated: (value) => (value ? ["deprecated"] : []),
};

function counted(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

function json(value) {
  return JSON.stringify(value);
}

/** Returns whether a schema allows nothing but null. */
function isNull(schema) {
  const found = resolve(schema);
  return found?.type === "null" || (found && Object.hasOwn(found, "const") && found.const === null);
}

/** Returns the types of a schema without null, and whether null is allowed. */
function typesOf(schema) {
  const types = [schema.type ?? []].flat();
  return { types: types.filter((type) => type !== "null"), isNullable: types.includes("null") || schema.nullable === true };
}

/** Returns the alternatives of a schema without null, and whether null is one. */
function alternativesOf(schema) {
  const all = [schema.oneOf ?? schema.anyOf ?? []].flat();
  return { variants: all.filter((variant) => !isNull(variant)), isNullable: all.some(isNull) };
}

/** Returns the schema that remains of one that allows null besides it, with the references on the way to it. */
function unwrapped(schema, outer = []) {
  const found = resolve(schema);
  const inside = typeof schema?.$ref === "string" && !outer.includes(schema.$ref) ? [...outer, schema.$ref] : outer;
  if (!found || typeof found !== "object") return [found, inside];
  const { variants } = alternativesOf(found);
  const isWrapper = variants.length === 1 && typesOf(found).types.length === 0 && !found.properties && !found.allOf;
  if (!isWrapper || inside.includes(variants[0].$ref)) return [found, inside];
  const [inner, around] = unwrapped(variants[0], inside);
  const { oneOf, anyOf, ...beside } = found;
  return typeof inner === "object" ? [{ ...inner, ...beside }, around] : [inner, around];
}

/** Returns the type of a schema in words, with links to named schemas. */
function typeOf(schema) {
  if (schema === false) return ["no value"];
  if (!schema || typeof schema !== "object") return ["any value"];
  if (typeof schema.$ref === "string") return [schemaLink(schema.$ref)];
  const { variants, isNullable: hasNull } = alternativesOf(schema);
  const { types, isNullable } = typesOf(schema);
  let words = types.map((type) => typeWords(type, schema));
  if (words.length === 0 && variants.length > 0) words = variants.map(typeOf);
  if (words.length === 0 && schema.allOf?.length === 1) words = [typeOf(schema.allOf[0])];
  if (words.length === 0 && Object.hasOwn(schema, "const")) words = [[code(json(schema.const))]];
  if (words.length === 0 && Array.isArray(schema.enum)) words = [["one of the values"]];
  if (words.length === 0 && isNull(schema)) return ["null"];
  if (words.length === 0) words = [[schema.properties || schema.allOf ? "object" : "any value"]];
  const listed = words.length > 4 ? [["one of ", String(words.length), " types"]] : words;
  const text = listed.flatMap((word, number) => (number > 0 ? [" or ", ...word] : word));
  return isNullable || hasNull ? [...text, " or null"] : text;
}

function typeWords(type, schema) {
  if (type === "array") return schema.items === undefined ? ["array"] : ["array of ", ...typeOf(schema.items)];
  if (type === "object" && !schema.properties && isMap(schema)) return ["map to ", ...typeOf(schema.additionalProperties)];
  return schema.format ? [`${type} (${schema.format})`] : [String(type)];
}

/** Returns whether an object has values of one type under any name. */
function isMap(schema) {
  return typeof schema.additionalProperties === "object" && schema.additionalProperties !== null;
}

function schemaLink(reference) {
  const name = nameOf(reference);
  return reference.startsWith("#/components/schemas/")
    ? el("a", { href: `#/schema/${encodeURIComponent(name)}` }, name)
    : code(reference);
}

/** Returns the limits and other facts of a schema as a list, or nothing. */
function factsOf(schema) {
  const facts = [];
  for (const [keyword, value] of entries(schema)) {
    const sentence = LIMITS[keyword]?.(value);
    if (sentence?.length > 0) facts.push(sentence);
    else if (!sentence && !SHOWN.has(keyword) && !keyword.startsWith("x-")) facts.push([`${keyword}: `, code(json(value))]);
  }
  if (Array.isArray(schema.enum)) {
    facts.push(["one of ", schema.enum.flatMap((value, number) => [number > 0 ? ", " : "", code(json(value))])]);
  }
  if (Object.hasOwn(schema, "const") && schema.type) facts.push(["always ", code(json(schema.const))]);
  if (schema.discriminator?.propertyName) facts.push(["told apart by ", code(schema.discriminator.propertyName)]);
  const examples = [schema.examples ?? [], Object.hasOwn(schema, "example") ? [schema.example] : []].flat();
  const isShort = examples.filter((example) => json(example).length < 100);
  if (isShort.length > 0) facts.push(["for example ", isShort.slice(0, 3).flatMap((example, number) => [number > 0 ? ", " : "", code(json(example))])]);
  return facts.length > 0 ? el("ul", { class: "facts" }, facts.map((fact) => el("li", null, fact))) : null;
}

/** Returns whether a schema has parts to show below its type. `seen` ends schemas that have nothing but themselves. */
function hasParts(schema, seen = []) {
  if (seen.includes(schema?.$ref)) return false;
  const [found, inside] = unwrapped(schema, seen);
  if (!found || typeof found !== "object") return false;
  if (entries(found.properties).length > 0 || entries(found.patternProperties).length > 0) return true;
  if (found.prefixItems?.length > 0 || alternativesOf(found).variants.length > 1) return true;
  const parts = [isMap(found) ? found.additionalProperties : null, found.items, ...(found.allOf ?? [])];
  return parts.some((part) => part && (hasParts(part, inside) || factsOf(resolve(part) ?? {}) !== null));
}

/** Shows a schema: its type, description and limits, and its parts. `outer` has the references around it. */
function schemaView(schema, outer = []) {
  const [found, inside] = unwrapped(schema, outer);
  const view = el("div", { class: "schema" });
  view.append(el("p", { class: "type" }, typeOf(schema)));
  if (!found || typeof found !== "object") return view;
  view.append(...prose(found.description));
  const facts = factsOf(found);
  if (facts) view.append(facts);
  view.append(...partsOf(found, inside));
  return view;
}

/** Returns the parts of a schema: properties, items, alternatives. */
function partsOf(schema, outer) {
  const parts = [];
  const properties = [
    ...entries(schema.properties).map(([name, property]) => [code(name, "name"), property, schema.required?.includes(name)]),
    ...entries(schema.patternProperties).map(([name, property]) => [["names that match ", code(name)], property, false]),
  ];
  if (schema.additionalProperties && (isMap(schema) || properties.length > 0)) {
    properties.push(["any other name", schema.additionalProperties, false]);
  }
  if (properties.length > 0) {
    const items = properties.map(([name, property, isRequired]) => propertyView(name, property, isRequired, outer));
    parts.push(el("ul", { class: "properties" }, items));
  }
  if (schema.additionalProperties === false) parts.push(el("p", { class: "hint" }, "No other properties."));
  (schema.prefixItems ?? []).forEach((item, number) => parts.push(namedPart(`Item ${number + 1}`, item, outer)));
  if (schema.items && (hasParts(schema.items) || factsOf(resolve(schema.items) ?? {}))) {
    parts.push(namedPart("Each item", schema.items, outer));
  }
  if (schema.allOf?.length > 0) parts.push(variantsView("All of", schema.allOf, outer));
  const { variants } = alternativesOf(schema);
  if (variants.length > 0) parts.push(variantsView(variants.length > 1 ? "One of" : "If not null", variants, outer));
  return parts;
}

function propertyView(name, schema, isRequired, outer) {
  const [found] = unwrapped(schema, outer);
  const item = el("li", null, el("p", { class: "property" }, name, " ", el("span", { class: "type" }, typeOf(schema)),
    isRequired ? [" ", el("span", { class: "required" }, "required")] : null));
  if (!found || typeof found !== "object") return item;
  item.append(...prose(found.description));
  const facts = factsOf(found);
  if (facts) item.append(facts);
  if (hasParts(schema)) item.append(nested(schema, outer, "Show parts"));
  return item;
}

/** Shows the parts of a schema that is inside others, closed at first. A schema inside itself is only named. */
function nested(schema, outer, summary) {
  const references = [schema.$ref, ...alternativesOf(resolve(schema)).variants.map((variant) => variant.$ref)];
  const again = references.find((reference) => outer.includes(reference));
  if (again) return el("p", { class: "hint" }, "The same schema again: ", schemaLink(again));
  const [found, inside] = unwrapped(schema, outer);
  return disclosure(summary, inside.length === 0, () => el("div", { class: "schema" }, partsOf(found, inside)));
}

function namedPart(name, schema, outer) {
  return el("ul", { class: "properties" }, propertyView(el("span", { class: "part" }, name), schema, false, outer));
}

function variantsView(title, variants, outer) {
  const items = variants.map((variant) => {
    const found = resolve(variant);
    return propertyView(found?.title && !variant.$ref ? el("strong", null, String(found.title)) : "", variant, false, outer);
  });
  return el("div", { class: "variants" }, el("p", { class: "part" }, title), el("ul", { class: "properties" }, items));
}
