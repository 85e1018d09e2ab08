/* The item browser. Items, columns and margins lie beside the page as scripts (items/*.js), so that it
   works from the file system, too; each is loaded when it is needed, once. The hash of the address has
   what was asked for: #q=words&match=mismatch&sort=0&page=2, or #id=... for one item. */
"use strict";

const PER_PAGE = 50;
const LISTED = 40; /* a column with more values is asked for by typing */

const shelf = {
  index: null,
  parts: new Map(),

  open(index) {
    this.index = index;
    start();
  },

  /* Called by the script of a part. */
  put(name, text) {
    this.parts.get(name).resolve(unpack(text));
  },

  /* Return the bytes of a part: from its script, or from memory if it was loaded before. */
  get(name) {
    if (!this.parts.has(name)) {
      const part = Promise.withResolvers ? Promise.withResolvers() : deferred();
      this.parts.set(name, part);
      const script = document.createElement("script");
      script.src = `items/${name}.js`;
      script.addEventListener("error", () => part.reject(new Error(`items/${name}.js is missing`)));
      script.addEventListener("load", () => script.remove());
      document.head.append(script);
    }
    return this.parts.get(name).promise;
  },

  blocks: new Map(),

  async block(number) {
    if (!this.blocks.has(number)) {
      const made = this.get(`block-${number}`).then((data) => {
        this.parts.delete(`block-${number}`);
        return JSON.parse(new TextDecoder().decode(data));
      });
      this.blocks.set(number, made);
    }
    return this.blocks.get(number);
  },

  async column(number) {
    return new Uint16Array(await this.get(`column-${number}`));
  },

  async margins(number) {
    return new Float32Array(await this.get(`margin-${number}`));
  },
};

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

async function unpack(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc32(text) {
  let sum = -1;
  for (const byte of new TextEncoder().encode(text)) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ -1) >>> 0;
}

const find = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/* ---- What is asked for ---- */

/* Return the name of a column in the address. */
function key(column) {
  return ["q", "sort", "page", "id"].includes(column.name) ? `.${column.name}` : column.name;
}

function asked() {
  return new URLSearchParams(location.hash.slice(1));
}

function ask(changes, replace) {
  const now = asked();
  for (const [key, value] of Object.entries(changes)) value === "" ? now.delete(key) : now.set(key, value);
  const hash = `#${now}`;
  replace ? history.replaceState(null, "", hash) : history.pushState(null, "", hash);
  show();
}

/* ---- The form ---- */

function start() {
  const { columns, models } = shelf.index;
  models.forEach((model, number) => {
    find("sort").append(element("option", { value: `${number}` }, `lowest margin, ${model}`));
    find("sort").append(element("option", { value: `-${number}` }, `highest margin, ${model}`));
  });
  if (!models.length) find("sort").hidden = document.querySelector("label[for=sort]").hidden = true;
  columns.forEach((column, number) => find("filters").append(control(column, number)));
  if (!columns.length) find("more").hidden = true;
  let waiting;
  find("q").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask({ q: find("q").value, page: "", id: "" }, true), 250);
  });
  find("sort").addEventListener("change", () => ask({ sort: find("sort").value, page: "", id: "" }));
  find("filters").addEventListener("change", (event) => {
    const control = event.target;
    if (control.value && !control.dataset.known.split("\n").includes(control.value)) return;
    ask({ [control.name]: control.value, page: "", id: "" });
  });
  find("form").addEventListener("submit", (event) => event.preventDefault());
  find("form").addEventListener("reset", (event) => {
    event.preventDefault();
    history.pushState(null, "", "#");
    show();
  });
  find("previous").addEventListener("click", () => turn(-1));
  find("next").addEventListener("click", () => turn(1));
  addEventListener("popstate", show);
  addEventListener("hashchange", show);
  show();
}

function control(column, number) {
  const id = `filter-${number}`;
  const label = element("label", { for: id }, column.name.replaceAll("_", " "));
  const box = element("div", {}, label);
  const options = column.values.map((value, place) => [value, column.counts[place + 1]]);
  const few = options.length <= LISTED;
  const field = element(few ? "select" : "input", { id, name: key(column) });
  field.dataset.known = column.values.join("\n");
  if (few) {
    field.append(element("option", { value: "" }, "all"));
    for (const [value, n] of options) {
      field.append(element("option", { value }, `${value} (${n.toLocaleString("en")})`));
    }
    box.append(field);
  } else {
    field.setAttribute("list", `${id}-values`);
    field.setAttribute("dir", "auto");
    field.setAttribute("placeholder", `${options.length.toLocaleString("en")} values`);
    const list = element("datalist", { id: `${id}-values` });
    field.addEventListener("focus", () => {
      if (!list.childElementCount) list.append(...options.map(([value]) => element("option", { value })));
    });
    box.append(field, list);
  }
  return box;
}

function turn(by) {
  ask({ page: String(Math.max(1, Number(asked().get("page") || 1) + by)) });
  find("status").scrollIntoView();
}

function fill(now) {
  const chosen = [];
  if (find("q") !== document.activeElement) find("q").value = now.get("q") || "";
  find("sort").value = now.get("sort") || "";
  for (const field of find("filters").querySelectorAll("select, input")) {
    const value = now.get(field.name) ?? "";
    field.value = value;
    if (value) chosen.push(value);
  }
  find("chosen").textContent = chosen.join(", ");
}

/* ---- Which rows ---- */

let turnOf = 0;

async function show() {
  const mine = ++turnOf;
  const now = asked();
  const late = () => mine !== turnOf;
  fill(now);
  try {
    const rows = now.get("id") ? await withId(now.get("id")) : await chosenRows(now, late);
    if (late()) return;
    const last = Math.max(1, Math.ceil(rows.length / PER_PAGE));
    const page = Math.min(last, Math.max(1, Number(now.get("page")) || 1));
    const part = rows.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    const made = await Promise.all(Array.from(part, (row) => item(row, now)));
    if (late()) return;
    find("items").replaceChildren(...made);
    find("pages").hidden = last === 1;
    find("previous").disabled = page === 1;
    find("next").disabled = page === last;
    find("page").textContent = `Page ${page.toLocaleString("en")} of ${last.toLocaleString("en")}`;
    const whole = shelf.index.rows.toLocaleString("en");
    find("status").textContent = `${rows.length.toLocaleString("en")} of ${whole} items`;
    if (now.get("id")) find("items").querySelector("details")?.setAttribute("open", "");
  } catch (error) {
    if (!late()) find("status").textContent = `This did not work: ${error.message}`;
  }
}

async function withId(id) {
  const sums = new Uint32Array(await shelf.get("ids"));
  const wanted = crc32(id);
  for (let row = sums.indexOf(wanted); row >= 0; row = sums.indexOf(wanted, row + 1)) {
    const block = await shelf.block(Math.floor(row / shelf.index.block));
    if (block.ids[row % shelf.index.block] === id) return [row];
  }
  return [];
}

async function chosenRows(now, late) {
  const { rows, columns } = shelf.index;
  const wanted = [];
  for (const [number, column] of columns.entries()) {
    const value = now.get(key(column));
    if (value === null) continue;
    const place = column.values.indexOf(value);
    if (place < 0) return [];
    wanted.push([shelf.column(number), place + 1]);
  }
  let found = Uint32Array.from({ length: rows }, (_, row) => row);
  for (const [column, code] of wanted) {
    const codes = await column;
    found = found.filter((row) => codes[row] === code);
  }
  const text = (now.get("q") || "").trim().toLowerCase();
  if (text) found = await containing(text, found, late);
  return now.get("sort") ? sorted(found, now.get("sort")) : found;
}

/* Text is looked for block by block: only in blocks that other filters leave. */
async function containing(text, rows, late) {
  const { block: size } = shelf.index;
  const found = [];
  const numbers = [...new Set(Array.from(rows, (row) => Math.floor(row / size)))];
  numbers.forEach((number) => shelf.block(number).catch(() => {}));
  let place = 0;
  for (const [done, number] of numbers.entries()) {
    const block = await shelf.block(number);
    if (late()) return [];
    const texts = block.texts.map((some) => some.join(shelf.index.kind === "cloze" ? "" : "\n").toLowerCase());
    for (; place < rows.length && Math.floor(rows[place] / size) === number; place++) {
      if (texts[rows[place] % size].includes(text)) found.push(rows[place]);
    }
    if (done % 8 === 7) find("status").textContent = `Searching: ${done + 1} of ${numbers.length} blocks`;
  }
  return Uint32Array.from(found);
}

async function sorted(rows, order) {
  const margins = await shelf.margins(Number(order.replace("-", "")));
  const sign = order.startsWith("-") ? -1 : 1;
  return rows.filter((row) => !Number.isNaN(margins[row])).sort((a, b) => sign * (margins[a] - margins[b]) || a - b);
}

/* ---- One item ---- */

async function item(row, now) {
  const { block: size, labels } = shelf.index;
  const block = await shelf.block(Math.floor(row / size));
  const place = row % size;
  const [id, texts] = [block.ids[place], block.texts[place]];
  const names = labels[block.labels ? block.labels[place] : 0].split(" · ");
  const made = element("li", { class: "item" }, ...lines(texts, names));
  if (now.get("sort")) {
    const number = Number(now.get("sort").replace("-", ""));
    const margins = await shelf.margins(number);
    made.append(element("p", { class: "margins" }, `margin ${margins[row].toFixed(2)}, ${shelf.index.models[number]}`));
  }
  const summary = element("summary", {}, "Features ", element("small", {}, id));
  const details = element("details", {}, summary);
  details.addEventListener("toggle", () => details.open && features(details, row, id), { once: true });
  made.append(details);
  return made;
}

function lines(texts, names) {
  const { kind } = shelf.index;
  if (kind === "pair") {
    const [good, bad] = differing(...texts);
    return [line(good, "", "Good: "), line(bad, "*", "Bad: ")];
  }
  if (kind === "cloze") return [line([[texts[0], false], [texts[1], true], [texts[2], false]])];
  if (kind === "forms") {
    const made = line([[texts[0], false]]);
    return [made, element("p", { class: "margins" }, [texts[1], texts[2]].filter(Boolean).join(" · "))];
  }
  return texts.map((text, number) => line([[text, false]], null, "", names[number]));
}

function line(parts, star = null, label = "", name = "") {
  const { language, direction } = shelf.index;
  const words = element("span", { class: "words", lang: language });
  for (const [text, differs] of parts) words.append(differs ? element("mark", {}, text) : text);
  const made = element("p", { class: star ? "text starred" : "text", dir: direction });
  if (star !== null) {
    made.append(element("span", { class: "star", "aria-hidden": "true" }, star), element("span", { class: "hidden", dir: "ltr" }, label));
  }
  if (name) made.append(element("span", { class: "name" }, name));
  made.append(words);
  return made;
}

const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]\p{M}*|[\p{L}\p{N}\p{M}_]+|[^]/gu;

/* Return two sentences in parts, each with whether it differs: words, or characters of scripts
   without spaces, that are not of a longest common subsequence. */
function differing(good, bad) {
  const [a, b] = [good.match(PIECES) || [], bad.match(PIECES) || []];
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const sides = [[], []];
  const add = (side, text, differs) => {
    const last = sides[side].at(-1);
    last && last[1] === differs ? (last[0] += text) : sides[side].push([text, differs]);
  };
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(0, a[i++], false);
      add(1, b[j++], false);
    } else if (j >= b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1])) add(0, a[i++], true);
    else add(1, b[j++], true);
  }
  return sides.map((parts) => parts.flatMap(trimmed));
}

/* Return a part without the blanks at its ends, and these as parts that do not differ. */
function trimmed([text, differs]) {
  if (!differs) return [[text, false]];
  const core = text.trim();
  const start = text.indexOf(core);
  return [[text.slice(0, start), false], [core, core !== ""], [text.slice(start + core.length), false]];
}

async function features(details, row, id) {
  const { columns, models } = shelf.index;
  const codes = await Promise.all(columns.map((_, number) => shelf.column(number)));
  const margins = await Promise.all(models.map((_, number) => shelf.margins(number)));
  const list = element("p", { class: "features" });
  columns.forEach((column, number) => {
    const code = codes[number][row];
    if (!code) return;
    const value = element("bdi", {}, column.values[code - 1]);
    list.append(element("span", {}, element("b", {}, column.name.replaceAll("_", " ")), " ", value), " ");
  });
  details.append(list);
  models.forEach((model, number) => {
    const margin = margins[number][row];
    if (!Number.isNaN(margin)) details.append(element("p", { class: "margins" }, `margin ${margin.toFixed(2)}, ${model}`));
  });
  const link = element("a", { href: `#${new URLSearchParams({ id })}` }, "Link to this item");
  details.append(element("p", {}, link));
}
