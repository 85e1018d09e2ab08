/* The item browser. Items, columns and margins are scripts beside the page (items/*.js), so that it
   works from the file system, too; each is loaded once, when it is needed. The hash of the address
   says what is asked for: #q=words&match=mismatch&sort=0&page=2, or #id=... for one item. */
"use strict";

const PER_PAGE = 50;

const find = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

let index = null;
const parts = new Map();

const files = {
  open: (found) => start((index = found)),
  put: (name, text) => parts.get(name).resolve(unpack(text)),
};

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/* Return what `read` makes of the bytes of a file. */
function load(name, read) {
  if (!parts.has(name)) {
    const part = {};
    const data = new Promise((resolve, reject) => Object.assign(part, { resolve, reject }));
    part.promise = data.then(read);
    parts.set(name, part);
    const script = element("script", { src: `items/${name}.js` });
    script.addEventListener("error", () => part.reject(new Error(`items/${name}.js is missing`)));
    document.head.append(script);
  }
  return parts.get(name).promise;
}

const block = (number) => load(`block-${number}`, (data) => JSON.parse(new TextDecoder().decode(data)));
const column = (number) => load(`column-${number}`, (data) => new Uint16Array(data));
const margins = (number) => load(`margin-${number}`, (data) => new Float32Array(data));

/* ---- What is asked for ---- */

const asked = () => new URLSearchParams(location.hash.slice(1));
const key = (name) => (["q", "sort", "page", "id"].includes(name) ? `.${name}` : name);

function ask(changes, replace) {
  const now = asked();
  for (const [name, value] of Object.entries(changes)) value === "" ? now.delete(name) : now.set(name, value);
  replace ? history.replaceState(null, "", `#${now}`) : history.pushState(null, "", `#${now}`);
  show();
}

function start() {
  for (const [number, model] of index.models.entries()) {
    const ends = [["", "lowest"], ["-", "highest"]];
    const options = ends.map(([sign, end]) => element("option", { value: sign + number }, `${end} margin, ${model}`));
    find("sort").append(...options);
  }
  if (!index.models.length) find("sort").hidden = document.querySelector("label[for=sort]").hidden = true;
  index.columns.forEach((column, number) => find("filters").append(control(column, number)));
  if (!index.columns.length) find("more").hidden = true;
  let waiting;
  find("q").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask({ q: find("q").value, page: "", id: "" }, true), 250);
  });
  find("sort").addEventListener("change", () => ask({ sort: find("sort").value, page: "", id: "" }));
  for (const [name, by] of [["previous", -1], ["next", 1]]) {
    find(name).addEventListener("click", () => {
      ask({ page: String(Math.max(1, Number(asked().get("page") || 1) + by)) });
      find("status").scrollIntoView();
    });
  }
  addEventListener("popstate", show);
  show();
}

function control({ name, values, counts }, number) {
  const id = `filter-${number}`;
  const options = values.map((value, place) => element("option", { value }, `${value} (${count(counts[place + 1])})`));
  const field = element("select", { id, name: key(name) }, element("option", { value: "" }, "all"), ...options);
  field.addEventListener("change", () => ask({ [field.name]: field.value, page: "", id: "" }));
  return element("div", {}, element("label", { for: id }, name.replaceAll("_", " ")), field);
}

function fill(now) {
  if (find("q") !== document.activeElement) find("q").value = now.get("q") || "";
  find("sort").value = now.get("sort") || "";
  const fields = [...find("filters").querySelectorAll("select")];
  for (const field of fields) field.value = now.get(field.name) ?? "";
  find("chosen").textContent = fields.map((field) => field.value).filter(Boolean).join(", ");
}

/* ---- Which rows ---- */

let shown = 0;

async function show() {
  const mine = ++shown;
  const late = () => mine !== shown;
  const now = asked();
  fill(now);
  try {
    const rows = await chosen(now, late);
    if (late()) return;
    const last = Math.max(1, Math.ceil(rows.length / PER_PAGE));
    const page = Math.min(last, Math.max(1, Number(now.get("page")) || 1));
    const part = Array.from(rows.slice((page - 1) * PER_PAGE, page * PER_PAGE));
    const made = await Promise.all(part.map((row) => item(row, now)));
    if (late()) return;
    find("items").replaceChildren(...made);
    find("pages").hidden = last === 1;
    find("previous").disabled = page === 1;
    find("next").disabled = page === last;
    find("page").textContent = `Page ${count(page)} of ${count(last)}`;
    find("status").textContent = `${count(rows.length)} of ${count(index.rows)} items`;
    if (now.get("id")) find("items").querySelector("details")?.setAttribute("open", "");
  } catch (error) {
    if (!late()) find("status").textContent = `This did not work: ${error.message}`;
  }
}

async function chosen(now, late) {
  let rows = Uint32Array.from({ length: index.rows }, (_, row) => row);
  for (const [number, { name, values }] of index.columns.entries()) {
    if (!now.has(key(name))) continue;
    const code = values.indexOf(now.get(key(name))) + 1;
    const codes = await column(number);
    rows = rows.filter((row) => code && codes[row] === code);
  }
  const text = (now.get("q") || "").trim().toLowerCase();
  const glue = index.kind === "cloze" ? "" : "\n";
  const is = (some, place) => some.ids[place] === now.get("id");
  const has = (some, place) => some.texts[place].join(glue).toLowerCase().includes(text);
  if (text || now.get("id")) rows = await matching(rows, late, now.get("id") ? is : has);
  if (!now.get("sort")) return rows;
  const values = await margins(Number(now.get("sort").replace("-", "")));
  const sign = now.get("sort").startsWith("-") ? -1 : 1;
  const scored = rows.filter((row) => !Number.isNaN(values[row]));
  return scored.sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

/* Texts and ids are looked for block by block: only in blocks that other filters leave. */
async function matching(rows, late, fits) {
  const found = [];
  const numbers = [...new Set(Array.from(rows, (row) => Math.floor(row / index.block)))];
  numbers.forEach((number) => block(number).catch(() => {})); /* begin to load all of them */
  let place = 0;
  for (const [done, number] of numbers.entries()) {
    const some = await block(number);
    if (late()) return [];
    for (; place < rows.length && Math.floor(rows[place] / index.block) === number; place++) {
      if (fits(some, rows[place] % index.block)) found.push(rows[place]);
    }
    if (done % 8 === 7) find("status").textContent = `Searching: ${done + 1} of ${numbers.length} blocks`;
  }
  return Uint32Array.from(found);
}

/* ---- One item ---- */

async function item(row, now) {
  const some = await block(Math.floor(row / index.block));
  const place = row % index.block;
  const names = index.labels[some.labels ? some.labels[place] : 0].split(" · ");
  const made = element("li", { class: "item" }, ...lines(some.texts[place], names));
  if (now.get("sort")) made.append(await margin(row, Number(now.get("sort").replace("-", ""))));
  const id = element("small", {}, some.ids[place]);
  const details = element("details", {}, element("summary", {}, "Features ", id));
  details.addEventListener("toggle", () => features(details, row, some.ids[place]), { once: true });
  made.append(details);
  return made;
}

function lines(texts, names) {
  if (index.kind === "pair") {
    const [good, bad] = differing(...texts);
    return [line(good, "", "Good: "), line(bad, "*", "Bad: ")];
  }
  if (index.kind === "cloze") return [line([[texts[0], false], [texts[1], true], [texts[2], false]])];
  if (index.kind === "suite") return texts.map((text, number) => line([[text, false]], null, names[number]));
  const about = element("p", { class: "margins" }, texts.slice(1).filter(Boolean).join(" · "));
  return [line([[texts[0], false]]), about];
}

function line(parts, star = null, label = "") {
  const words = element("span", { class: "words", lang: index.language });
  for (const [text, differs] of parts) {
    const mark = words.lastChild?.nodeName === "MARK" ? words.lastChild : element("mark", {});
    if (differs) mark.append(text);
    words.append(differs ? mark : text);
  }
  const made = element("p", { class: star ? "text starred" : "text", dir: index.direction });
  if (star !== null) made.append(element("span", { class: "star", "aria-hidden": "true" }, star));
  if (label) made.append(element("span", { class: star === null ? "name" : "hidden", dir: "ltr" }, label));
  made.append(words);
  return made;
}

const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]\p{M}*|[\p{L}\p{N}\p{M}_]+|[^]/gu;

/* Return two sentences in parts: words, or characters of scripts without spaces, that are of a
   longest common subsequence or differ. */
function differing(good, bad) {
  const [a, b] = [good.match(PIECES) || [], bad.match(PIECES) || []];
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const sides = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const drop = j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1]);
    if (a[i] === b[j]) {
      sides.forEach((side) => side.push([a[i], false]));
      i++, j++;
    } else if (drop) sides[0].push([a[i++], true]);
    else sides[1].push([b[j++], true]);
  }
  return sides;
}

async function margin(row, number) {
  const value = (await margins(number))[row];
  const text = Number.isNaN(value) ? "" : `margin ${value.toFixed(2)}, ${index.models[number]}`;
  return element("p", { class: "margins" }, text);
}

async function features(details, row, id) {
  const list = element("p", { class: "features" });
  for (const [number, { name, values }] of index.columns.entries()) {
    const code = (await column(number))[row];
    const value = element("bdi", {}, code ? values[code - 1] : "");
    if (code) list.append(element("span", {}, element("b", {}, name.replaceAll("_", " ")), " ", value), " ");
  }
  const link = element("a", { href: `#${new URLSearchParams({ id })}` }, "Link to this item");
  const known = await Promise.all(index.models.map((_, number) => margin(row, number)));
  details.append(list, ...known, element("p", {}, link));
}
