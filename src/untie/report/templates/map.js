/* The map: drawing, hovering, selecting. */
const SIDE = 10000;
const MARGIN = 18;
const view = { colors: null, places: null, selected: null, focus: -1, hover: -1, lasso: null, pressed: -1 };

function readPlaces(layout) {
  const flat = data.layouts[layout];
  view.places = data.rows.map((_, row) => [flat[2 * row] / SIDE, flat[2 * row + 1] / SIDE]);
}

function onScreen(row) {
  const canvas = byId("map-canvas");
  const [x, y] = view.places[row];
  return [MARGIN + x * (canvas.clientWidth - 2 * MARGIN), MARGIN + y * (canvas.clientHeight - 2 * MARGIN)];
}

function draw() {
  const canvas = byId("map-canvas");
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * scale);
  canvas.height = Math.round(canvas.clientHeight * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const size = data.rows.length > 1000 ? 3 : data.rows.length > 200 ? 4 : 5.5;
  data.rows.forEach((_, row) => {
    const group = view.colors.groups[view.colors.of[row]];
    pen.globalAlpha = view.selected && !view.selected.has(row) ? 0.12 : 0.75;
    pen.fillStyle = group.color;
    drawShape(pen, group.shape, ...onScreen(row), size);
  });
  pen.globalAlpha = 1;
  if (byId("map-color").value === "cluster") drawNames(pen);
  if (view.focus >= 0) drawFocus(pen);
  if (view.hover >= 0 && view.hover !== view.focus) ring(pen, view.hover, 8, 1.5);
  if (view.lasso) drawLasso(pen);
}

function textColor() { return getComputedStyle(document.body).color; }

function ring(pen, row, radius, width) {
  pen.beginPath();
  pen.arc(...onScreen(row), radius, 0, 2 * Math.PI);
  pen.lineWidth = width;
  pen.strokeStyle = textColor();
  pen.stroke();
}

function drawFocus(pen) {
  pen.strokeStyle = textColor();
  pen.lineWidth = 1;
  for (const [kind] of data.neighbors[data.kinds[view.focus]]) {
    pen.beginPath();
    pen.moveTo(...onScreen(view.focus));
    pen.lineTo(...onScreen(data.first[kind]));
    pen.stroke();
    ring(pen, data.first[kind], 6, 1);
  }
  ring(pen, view.focus, 9, 2.5);
}

function drawLasso(pen) {
  pen.beginPath();
  view.lasso.forEach(([x, y]) => pen.lineTo(x, y));
  pen.closePath();
  pen.fillStyle = "#8888";
  pen.globalAlpha = 0.35;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = textColor();
  pen.setLineDash([4, 3]);
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.setLineDash([]);
}

/* A name stands where most of its rows are: in the fullest cell of a coarse grid. */
function fullestSpot(spots) {
  const cells = new Map();
  for (const [x, y] of spots) {
    const key = `${Math.floor(x / 50)},${Math.floor(y / 50)}`;
    const cell = cells.get(key) || { n: 0, x: 0, y: 0 };
    cells.set(key, { n: cell.n + 1, x: cell.x + x, y: cell.y + y });
  }
  const best = [...cells.values()].reduce((a, b) => (b.n > a.n ? b : a));
  return [best.x / best.n, best.y / best.n];
}

function drawNames(pen) {
  const back = getComputedStyle(document.documentElement).getPropertyValue("--back");
  pen.font = "600 15px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.lineJoin = "round";
  view.colors.groups.forEach((group, number) => {
    const spots = data.rows.map((_, row) => row).filter((row) => view.colors.of[row] === number).map(onScreen);
    if (!spots.length || !group.name.startsWith("Cluster ")) return;
    const [x, y] = fullestSpot(spots);
    const text = group.name.slice(8);
    pen.lineWidth = 4;
    pen.strokeStyle = back;
    pen.strokeText(text, x, y + 5);
    pen.fillStyle = textColor();
    pen.fillText(text, x, y + 5);
  });
}

function nearestTo(x, y, most) {
  let [best, least] = [-1, most * most];
  data.rows.forEach((_, row) => {
    const [a, b] = onScreen(row);
    const distance = (a - x) ** 2 + (b - y) ** 2;
    if (distance < least) [best, least] = [row, distance];
  });
  return best;
}

function cellOf(row, column) { return data.columns[column].labels[data.columns[column].codes[row]]; }

function nameOf(row) { return data.row_names ? data.row_names[row] : ""; }

function calledRow(row) { return `${nameOf(row) ? `${nameOf(row)}, row` : "row"} ${grouped(data.rows[row])}`; }

function titleOf(row) { return `${calledRow(row).replace(/^row/, nameOf(row) ? "row" : "Row")}, cluster ${data.clusters[row]}`; }

/* A line of a table whose first cell is the number of a row, with the row's name if rows have names. */
function withName(name, line) { return data.row_names ? [line[0], name, ...line.slice(1)] : line; }

/* The places in such a line, counted without the name. */
function placesOf(places) { return places.map((place) => (place && data.row_names ? place + 1 : place)); }

const TIP_LINES = 12;

function showTip(row) {
  const tip = byId("map-tip");
  tip.hidden = row < 0;
  if (row < 0) return;
  const chosen = byId("map-color").value;
  let columns = data.columns.map((_, column) => column);
  if (chosen !== "cluster") columns = [Number(chosen), ...columns.filter((column) => column !== Number(chosen))];
  const lines = columns.slice(0, TIP_LINES).map((column) =>
    make("div", {}, make("span", {}, data.columns[column].name), make("span", {}, cellOf(row, column))));
  const more = columns.length - lines.length;
  tip.replaceChildren(make("strong", {}, titleOf(row)), ...lines, ...(more > 0 ? [`and ${many(more, "more column", "more columns")}`] : []));
  const box = byId("map-box");
  const [x, y] = onScreen(row);
  const left = x + 14 + tip.offsetWidth > box.clientWidth ? x - tip.offsetWidth - 14 : x + 14;
  tip.style.left = `${Math.max(4, Math.min(left, box.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 10, box.clientHeight - tip.offsetHeight - 4))}px`;
}

function isInside(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [[ax, ay], [bx, by]] = [polygon[i], polygon[j]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function select(rows, what, chosen) {
  view.selected = rows.length ? new Set(rows) : null;
  for (const button of byId("map-legend").children) button.setAttribute("aria-pressed", String(button === chosen));
  showSelected(rows, what);
  draw();
}

function clearMap() {
  view.focus = -1;
  view.hover = -1;
  showTip(-1);
  byId("map-row").hidden = true;
  select([], "");
  byId("map-status").textContent = "Nothing is selected.";
}

function showLegend() {
  const legend = byId("map-legend");
  legend.replaceChildren(...view.colors.groups.map((group, number) => {
    const mark = make("canvas", { width: 28, height: 28, "aria-hidden": "true" });
    const pen = mark.getContext("2d");
    pen.fillStyle = group.color;
    drawShape(pen, group.shape, 14, 14, 10);
    const button = make("button", { type: "button", "aria-pressed": "false", title: group.name },
      mark, make("span", {}, group.name), make("span", {}, grouped(group.count)));
    button.dataset.shown = "";
    button.addEventListener("click", () => {
      const rows = data.rows.map((_, row) => row).filter((row) => view.colors.of[row] === number);
      const again = button.getAttribute("aria-pressed") === "true";
      select(again ? [] : rows, again ? "" : group.name, again ? null : button);
    });
    return button;
  }));
}

/* Said only where the numbers are not those of the points. */
function sayCounts() {
  const what = data.is_weighted ? "are the weights of" : "count";
  const shown = data.is_sample ? `; the map shows ${grouped(data.rows.length)} of them` : "";
  if (shown || data.is_weighted) byId("map-counts").textContent = `The numbers ${what} all ${grouped(data.n_rows)} rows${shown}.`;
}

function recolor() {
  view.colors = coloring(byId("map-color").value);
  showLegend();
  draw();
}

function markCards() {
  const clusters = coloring("cluster");
  for (const dot of document.querySelectorAll(".dot[data-cluster]")) {
    const group = clusters.groups.find((entry) => entry.name === `Cluster ${dot.dataset.cluster}`);
    dot.style.background = group ? group.color : OTHER;
  }
}
