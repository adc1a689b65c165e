/* What is shown below the map: a row with its nearest rows, and the rows that are selected. */
const LISTED = 200;

function showRow(row) {
  view.focus = row;
  const panel = byId("map-row");
  const found = data.neighbors[data.kinds[row]];
  const copies = data.kinds.filter((kind) => kind === data.kinds[row]).length - 1;
  const parts = [make("h3", {}, titleOf(row))];
  if (copies) parts.push(make("p", {}, `${many(copies, "other row on the map is", "other rows on the map are")} equal to it.`));
  if (found.length) {
    const lines = found.map((neighbor) => neighborLine(row, neighbor));
    const others = found.map((neighbor) => data.first[neighbor[0]]);
    const shown = lines.map((line, rank) => withName(nameOf(others[rank]), [goButton(line[0], others[rank]),
      whyButton(row, found[rank], rank), ...line.slice(2)]));
    const raw = lines.map((line, rank) => withName(nameOf(others[rank]), line));
    parts.push(makeTable("nearest", "The nearest other rows on the map",
      withName("name", ["row", "why", "cluster", "distance", "differs in"]), shown, placesOf([0, 2, 3]), raw));
    parts.push(make("div", { id: "map-why", "aria-live": "polite" }));
  } else {
    parts.push(make("p", {}, "All rows on the map are equal."));
  }
  const names = data.columns.map((_, column) => [data.columns[column].name, cellOf(row, column)]);
  parts.push(make("details", {}, make("summary", {}, "All its values"),
    makeTable("row", `The values of ${calledRow(row)}`, ["column", "value"], names, [], names)));
  panel.replaceChildren(...parts);
  panel.hidden = false;
  if (found.length) showWhy(row, found[0]);
  byId("map-status").textContent = `${titleOf(row)}: ${many(found.length, "nearest row is", "nearest rows are")} listed.`;
  draw();
  markScrollable();
}

function goButton(number, other) {
  const go = make("button", { type: "button", "aria-label": `Show row ${grouped(number)}` }, grouped(number));
  go.addEventListener("click", () => { showRow(other); byId("map-row").focus({ preventScroll: true }); });
  return go;
}

function whyButton(row, neighbor, rank) {
  const other = data.rows[data.first[neighbor[0]]];
  const why = make("button", { type: "button", "aria-pressed": String(rank === 0), "aria-label": `Why row ${grouped(other)}` }, "Why");
  why.addEventListener("click", () => {
    for (const button of byId("map-row").querySelectorAll("button[aria-pressed]")) button.setAttribute("aria-pressed", String(button === why));
    showWhy(row, neighbor);
    markScrollable();
  });
  return why;
}

/* Row, what is alike (for which the page has a button), cluster, distance and what differs. */
function neighborLine(row, neighbor) {
  const other = data.first[neighbor[0]];
  const different = data.columns.map((_, column) => column)
    .filter((column) => !data.columns[column].is_answer && data.columns[column].codes[row] !== data.columns[column].codes[other]);
  const named = different.slice(0, 4).map((column) =>
    `${data.columns[column].name}: ${cellOf(row, column)} / ${cellOf(other, column)}`);
  if (different.length > 4) named.push(`${different.length - 4} more`);
  const reasons = whyLines(row, neighbor).slice(0, neighbor[3].length / 3).filter((line) => line[3] > 0)
    .sort((a, b) => b[3] - a[3]).slice(0, 2).map((line) => line[0]).join(", ");
  return [data.rows[other], reasons ? `alike in ${reasons}` : "", data.clusters[other], neighbor[1],
    named.join("; ") || "columns that are not shown"];
}

/* Similarity and squared distance are sums over the columns: these are the terms. */
function whyLines(row, neighbor) {
  const [kind, distance, similarity, flat] = neighbor;
  const other = data.first[kind];
  const lines = [];
  let [left, apart] = [similarity, distance * distance];
  for (let at = 0; at < flat.length; at += 3) {
    const [column, adds, sets] = flat.slice(at, at + 3);
    left -= adds;
    apart -= sets;
    lines.push([data.columns[column].name, cellOf(row, column), cellOf(other, column), adds, sets]);
  }
  if (flat.length / 3 < data.n_columns) {
    const n = data.n_columns - flat.length / 3;
    lines.push([many(n, "other column", "other columns"), "", "", Number(left.toPrecision(4)), Number(Math.max(apart, 0).toPrecision(4))]);
  }
  return lines;
}

function withBar(number, total) {
  const length = total > 0 ? Math.max(0, Math.min(100, (100 * number) / total)) : 0;
  const inner = make("span", {});
  inner.style.width = `${length.toFixed(1)}%`;
  return make("span", {}, number.toPrecision(3), make("span", { class: "bar" }, inner));
}

function showWhy(row, neighbor) {
  const other = data.first[neighbor[0]];
  const lines = whyLines(row, neighbor);
  const headings = ["column", "this row", calledRow(other), "adds to similarity", "adds to distance"];
  const shown = lines.map(([name, mine, theirs, adds, sets]) =>
    [name, mine, theirs, withBar(adds, neighbor[2]), withBar(sets, neighbor[1] ** 2)]);
  const caption = `Why ${calledRow(other)} is near: what each column adds to the similarity (${neighbor[2]}) and to the squared distance (${Number((neighbor[1] ** 2).toPrecision(4))})`;
  byId("map-why").replaceChildren(makeTable("why", caption, headings, shown, [3, 4], lines));
}

function showSelected(rows, what) {
  const panel = byId("map-selected");
  panel.hidden = !rows.length;
  byId("map-status").textContent = rows.length ? `${many(rows.length, "row is", "rows are")} selected.` : "No row is selected.";
  if (!rows.length) return;
  const columns = data.columns.map((_, column) => column);
  const headings = withName("name", ["row", "cluster", ...data.columns.map((column) => column.name)]);
  const line = (row) => withName(nameOf(row),
    [data.rows[row], data.clusters[row], ...columns.map((column) => cellOf(row, column))]);
  const some = rows.length > LISTED ? `; ${LISTED} are listed, the download has all` : "";
  const caption = `${many(rows.length, "selected row", "selected rows")}${what ? ` (${what})` : ""}${some}`;
  panel.replaceChildren(mixOf(rows),
    makeTable("selected-rows", caption, headings, rows.slice(0, LISTED).map(line), placesOf([0, 1]), rows.map(line)));
  markScrollable();
}

/* What the selected rows have in common: the values whose share differs most from that on the map. */
function mixOf(rows) {
  const found = [];
  data.columns.forEach((column) => {
    const [inside, all] = [column.labels.map(() => 0), column.labels.map(() => 0)];
    rows.forEach((row) => { inside[column.codes[row]] += 1; });
    column.codes.forEach((code) => { all[code] += 1; });
    inside.forEach((n, code) => {
      const [share, usual] = [n / rows.length, all[code] / column.codes.length];
      if (share - usual > 0.1) found.push([share - usual, `${column.name} = ${column.labels[code]} (${Math.round(100 * share)}%, on the whole map ${Math.round(100 * usual)}%)`]);
    });
  });
  found.sort((a, b) => b[0] - a[0]);
  const said = found.slice(0, 5).map((entry) => entry[1]).join("; ");
  return make("p", {}, said ? `More frequent among them: ${said}.` : "They are much like the other rows.");
}
