/* Two clusters side by side: the values whose shares differ most. */
const PAIR_SHOWN = 15;
const PAIR_LEAST = 0.005;

function percentOf(share) {
  if (share === 0 || share === 1 || (share >= 0.095 && share <= 0.995)) return `${Math.round(100 * share)}%`;
  if (share < 1e-4) return "<0.01%";
  if (share > 0.9999) return ">99.99%";
  return `${(100 * share).toFixed(share < 0.0095 ? 2 : 1)}%`;
}

function pointsOf(difference) {
  const text = (100 * difference).toFixed(Math.abs(difference) >= 0.0095 ? 0 : 1);
  return difference > 0 ? `+${text}` : text;
}

function pairLines(first, second) {
  const { sizes, lines } = data.pair;
  const found = lines.map(([column, value, counts]) =>
    [column, value, counts[first] / sizes[first], counts[second] / sizes[second]]);
  return found.filter((line) => Math.abs(line[2] - line[3]) > PAIR_LEAST)
    .sort((a, b) => Math.abs(b[2] - b[3]) - Math.abs(a[2] - a[3])).slice(0, PAIR_SHOWN);
}

function pairCell(tag, attributes, text, raw, share) {
  const cell = make(tag, { role: tag === "th" ? "rowheader" : "cell", ...attributes }, text);
  if (raw !== undefined) cell.dataset.v = raw;
  if (share !== undefined) {
    const inner = make("span", {});
    inner.style.width = `${(100 * share).toFixed(1)}%`;
    cell.append(make("span", { class: "bar" }, inner));
  }
  return cell;
}

function showPair() {
  const [first, second] = ["pair-first", "pair-second"].map((id) => Number(byId(id).value));
  const table = byId("t-side-by-side");
  const { clusters, names } = data.pair;
  const caption = `Where clusters ${clusters[first]} and ${clusters[second]} differ most`;
  table.caption.textContent = caption;
  table.closest(".scroll").setAttribute("aria-label", caption);
  const heads = table.tHead.rows[0].cells;
  [first, second].forEach((place, side) => { heads[2 + side].textContent = `cluster ${clusters[place]}`; });
  const lines = pairLines(first, second);
  table.tBodies[0].replaceChildren(...lines.map(([column, value, one, other]) => make("tr", { role: "row" },
    pairCell("th", { scope: "row", class: "s30" }, column), pairCell("td", { class: "s30" }, value),
    ...[one, other].map((share) => pairCell("td", { class: "n s20" }, percentOf(share), share, share)),
    pairCell("td", { class: "n s20" }, pointsOf(one - other), one - other))));
  const said = [first, second].map((place) => `cluster ${clusters[place]} (${names[place]})`).join(" beside ");
  byId("pair-said").textContent = `${said[0].toUpperCase()}${said.slice(1)}; ${lines.length
    ? "the difference is in percentage points." : "they do not differ in the values that are compared."}`;
  markScrollable();
}

function startPair() {
  if (!data.pair) return;
  const { clusters, names, first, second } = data.pair;
  for (const [id, chosen] of [["pair-first", first], ["pair-second", second]]) {
    const box = byId(id);
    box.append(...clusters.map((number, place) => make("option", { value: place }, `${number}: ${names[place]}`)));
    box.value = String(clusters.indexOf(chosen));
    box.addEventListener("change", showPair);
  }
}
