// Writes a request as code that a person can copy. Values are quoted as each language quotes them.

const LANGUAGES = { curl: curlSample, JavaScript: javascriptSample, Python: pythonSample, Rust: rustSample };

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes for JavaScript and Python, whose texts are written alike as far as JSON goes. */
function quoted(text) {
  return JSON.stringify(String(text)).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function rustQuoted(text) {
  const escapes = { __proto__: null, '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const escaped = String(text).replace(/["\\\u0000-\u001f\u007f\u2028\u2029]/g, (letter) =>
    escapes[letter] ?? `\\u{${letter.codePointAt(0).toString(16)}}`);
  return `"${escaped}"`;
}

/** Quotes a longer text without escapes, between as many `#` as it needs. */
function rustRaw(text) {
  if (/[\r\u0000]/.test(text)) return rustQuoted(text);
  let hashes = "#";
  while (text.includes(`"${hashes}`)) hashes += "#";
  return `r${hashes}"${text}"${hashes}`;
}

/** Returns the fields of a form as pairs of texts; a file is its name. */
function fieldTexts(body) {
  return body.fields.map(([name, value]) => [name, value instanceof File ? value.name : value, value instanceof File]);
}

const isMultipart = (body) => body?.fields !== undefined && body.type.startsWith("multipart/");

function curlSample({ method, url, headers, body }) {
  const isImplied = method === (body ? "POST" : "GET");
  const words = [isImplied ? "curl" : method === "HEAD" ? "curl --head" : `curl -X ${method}`, shellQuoted(url)];
  for (const [name, value] of headers) words.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
  if (body?.text !== undefined) words.push(`--data-raw ${shellQuoted(body.text)}`);
  if (body?.file !== undefined) words.push(`--data-binary ${shellQuoted(`@${body.file?.name ?? "FILE"}`)}`);
  if (body?.fields) {
    for (const [name, value, isFile] of fieldTexts(body)) {
      // With `-F`, a text may be the name of a file.
      const option = !isMultipart(body) ? "--data-urlencode" : isFile ? "-F" : "--form-string";
      words.push(`${option} ${shellQuoted(`${name}=${isFile ? "@" : ""}${value}`)}`);
    }
  }
  return words.join(" \\\n  ");
}

function javascriptSample({ method, url, headers, body }) {
  const lines = [];
  const options = [`  method: ${quoted(method)},`];
  if (headers.length > 0) options.push("  headers: {", ...headers.map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`), "  },");
  if (body?.text !== undefined) options.push(`  body: ${jsonOf(body) ? `JSON.stringify(${indented(jsonOf(body), "  ")})` : quoted(body.text)},`);
  if (body?.file !== undefined) options.push("  body: file,");
  if (body?.fields) {
    lines.push(`const form = new ${isMultipart(body) ? "FormData" : "URLSearchParams"}();`);
    for (const [name, value, isFile] of fieldTexts(body)) lines.push(`form.append(${quoted(name)}, ${isFile ? "file" : quoted(value)});`);
    options.push("  body: form,");
  }
  lines.push(`const response = await fetch(${quoted(url)}, {`, ...options, "});", "console.log(response.status, await response.text());");
  return lines.join("\n");
}

/** Returns the body as indented JSON if it is JSON. Longer numbers would be rounded, so their text is kept. */
function jsonOf(body) {
  if (bodyForm(body.type) !== "json" || /\d{16}/.test(body.text)) return null;
  try {
    return JSON.stringify(JSON.parse(body.text), null, 2);
  } catch {
    return null;
  }
}

function indented(text, by) {
  return text.replaceAll("\n", `\n${by}`);
}

/** Writes a value of JSON as Python writes it. */
function pythonValue(value, indent) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return String(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((part) => pythonValue(part, inner))
    : entries(value).map(([name, part]) => `${quoted(name)}: ${pythonValue(part, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function pythonSample({ method, url, headers, body }) {
  const lines = ["import requests", "", "response = requests.request(", `    ${quoted(method)},`, `    ${quoted(url)},`];
  const isJson = body?.text !== undefined && jsonOf(body) !== null;
  const shown = isJson ? headers.filter(([name, value]) => name !== "Content-Type" || value !== "application/json") : headers;
  if (shown.length > 0) lines.push("    headers={", ...shown.map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`), "    },");
  if (isJson) lines.push(`    json=${pythonValue(JSON.parse(body.text), "    ")},`);
  else if (body?.text !== undefined) lines.push(`    data=${quoted(body.text)}.encode(),`);
  if (body?.file !== undefined) lines.push(`    data=open(${quoted(body.file?.name ?? "FILE")}, "rb"),`);
  if (body?.fields) {
    const pairs = fieldTexts(body).map(([name, value, isFile]) => {
      if (isFile) return `        (${quoted(name)}, open(${quoted(value)}, "rb")),`;
      return isMultipart(body) ? `        (${quoted(name)}, (None, ${quoted(value)})),` : `        (${quoted(name)}, ${quoted(value)}),`;
    });
    lines.push(isMultipart(body) ? "    files=[" : "    data=[", ...pairs, "    ],");
  }
  lines.push(")", "print(response.status_code, response.text)");
  return lines.join("\n");
}

function rustSample({ method, url, headers, body }) {
  const lines = [];
  const calls = headers.map(([name, value]) => `    .header(${rustQuoted(name)}, ${rustQuoted(value)})`);
  if (body?.text !== undefined) calls.push(`    .body(${rustRaw(body.text)})`);
  if (body?.file !== undefined) calls.push(`    .body(std::fs::read(${rustQuoted(body.file?.name ?? "FILE")})?)`);
  if (body?.fields && isMultipart(body)) {
    lines.push("let form = reqwest::multipart::Form::new()");
    for (const [name, value, isFile] of fieldTexts(body)) {
      lines.push(isFile ? `    .file(${rustQuoted(name)}, ${rustQuoted(value)})\n    .await?` : `    .text(${rustQuoted(name)}, ${rustQuoted(value)})`);
    }
    lines[lines.length - 1] += ";";
    calls.push("    .multipart(form)");
  } else if (body?.fields) {
    const pairs = fieldTexts(body).map(([name, value]) => `(${rustQuoted(name)}, ${rustQuoted(value)})`);
    calls.push(`    .form(&[${pairs.join(", ")}])`);
  }
  const known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].includes(method);
  const call = known ? `.${method.toLowerCase()}(${rustQuoted(url)})` : `.request(reqwest::Method::from_bytes(b${rustQuoted(method)})?, ${rustQuoted(url)})`;
  lines.push("let response = reqwest::Client::new()", `    ${call}`, ...calls, "    .send()", "    .await?;");
  lines.push('println!("{} {}", response.status(), response.text().await?);');
  return lines.join("\n");
}
