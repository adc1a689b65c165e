/* Which color and shape the rows have. */
const COLORS = ["#3f78e0", "#e0771c", "#1f9d68", "#c8408f", "#16a0b8", "#8a5fd6", "#a3851a", "#d24b45"];
const OTHER = "#8a919c";
const MOST_COLORS = 8;

function isDark() { return matchMedia("(prefers-color-scheme: dark)").matches; }

/* An ordered column goes from pale to strong; what is no range, such as missing, is gray. */
function shade(place, n) {
  const part = n > 1 ? place / (n - 1) : 1;
  const light = isDark() ? 35 + 45 * part : 78 - 48 * part;
  return `hsl(${Math.round(205 + 45 * part)} 75% ${Math.round(light)}%)`;
}

/* The groups of a coloring: their names, colors, shapes and the group of each row. */
function coloring(choice) {
  if (choice === "cluster") {
    const numbers = [...new Set(data.clusters)].sort((a, b) => a - b);
    const places = new Map(numbers.map((number, place) => [number, place]));
    return fewGroups(numbers.map((number) => `Cluster ${number}`),
      data.clusters.map((number) => places.get(number)), 0, false, numbers.map((number) => data.sizes[number]));
  }
  const column = data.columns[Number(choice)];
  if (column.runs) {
    const runs = column.codes.map((code) => column.run_of[code]);
    const totals = column.runs.map(() => 0);
    column.totals.forEach((total, code) => { totals[column.run_of[code]] += total; });
    return fewGroups(column.runs, runs, column.n_runs, false, totals);
  }
  return fewGroups(column.labels, column.codes, column.ordered, true, column.totals);
}

/* Numbers in the legend are of all rows of the table, on the map or not. */
function rounded(number) { return Math.round(number * 100) / 100; }

function fewGroups(labels, codes, ordered, byFrequency, counts) {
  let kept = labels.map((_, place) => place);
  if (kept.length > MOST_COLORS) {
    if (byFrequency) kept.sort((a, b) => counts[b] - counts[a]);
    kept = kept.slice(0, MOST_COLORS - 1).sort((a, b) => a - b);
  }
  const groups = kept.map((place, number) => ({
    name: labels[place],
    count: rounded(counts[place]),
    color: !ordered ? COLORS[number] : place < ordered ? shade(place, ordered) : OTHER,
    shape: ordered ? 0 : number,
  }));
  const numbers = new Map(kept.map((place, number) => [place, number]));
  if (kept.length < labels.length) {
    const all = Object.values(data.sizes).reduce((sum, size) => sum + size, 0);
    const rest = all - groups.reduce((sum, group) => sum + group.count, 0);
    groups.push({ name: `${labels.length - kept.length} others`, count: rounded(rest), color: OTHER, shape: 0 });
  }
  return { groups, of: codes.map((code) => numbers.get(code) ?? kept.length) };
}

/* Shapes tell groups apart for whoever does not see the colors. */
function drawShape(pen, shape, x, y, r) {
  pen.beginPath();
  const corners = [null, 4, 3, 4, 3, 6, 5, 8][shape % 8];
  if (!corners) {
    pen.arc(x, y, r, 0, 2 * Math.PI);
  } else {
    const turn = [0, Math.PI / 4, -Math.PI / 2, 0, Math.PI / 2, 0, -Math.PI / 2, Math.PI / 8][shape % 8];
    for (let corner = 0; corner < corners; corner += 1) {
      const angle = turn + (2 * Math.PI * corner) / corners;
      pen.lineTo(x + 1.25 * r * Math.cos(angle), y + 1.25 * r * Math.sin(angle));
    }
    pen.closePath();
  }
  pen.fill();
}
