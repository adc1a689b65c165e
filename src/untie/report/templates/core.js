"use strict";
/* Cells hold text of other people: it is set as text and never as HTML. */
const data = JSON.parse(document.getElementById("untie-data").textContent);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function byId(id) { return document.getElementById(id); }

function many(number, one, more) { return `${grouped(number)} ${number === 1 ? one : more}`; }

function grouped(number) { return number.toLocaleString("en-US"); }

function csvCell(value) {
  let text = value === null || value === undefined ? "" : String(value);
  /* A spreadsheet would run text that begins like a formula; numbers and ranges of them are none. */
  if (/^[=+\-@\t\r]/.test(text) && !/^-?[\d.,]+(e[+-]?\d+)?( to -?[\d.,]+)?$/i.test(text)) text = "'" + text;
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function saveCsv(name, lines) {
  const text = "\ufeff" + lines.map((line) => line.map(csvCell).join(",")).join("\r\n") + "\r\n";
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/* A table of cells (strings, numbers, or nodes such as buttons) and a button that saves `raw`. */
function makeTable(name, caption, headings, lines, numeric, raw) {
  const side = (place) => (numeric.includes(place) ? "n" : null);
  const head = headings.map((text, place) => make("th", { scope: "col", class: side(place) }, text));
  const body = lines.map((line) => make("tr", {}, ...line.map((cell, place) =>
    make(place ? "td" : "th", { scope: place ? null : "row", class: side(place) }, cell))));
  const table = make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
  const save = make("button", { type: "button", class: "csv", "aria-label": `Download CSV: ${caption}` }, "Download CSV");
  save.addEventListener("click", () => saveCsv(`${name}.csv`, [headings, ...raw]));
  return make("div", { class: "table" },
    make("div", { class: "scroll", role: "region", "aria-label": caption }, table), save);
}
