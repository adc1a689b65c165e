function place(event) {
  const box = byId("map-canvas").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function startPointer(canvas) {
  let start = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    start = place(event);
    const draws = event.pointerType === "mouse" || canvas.classList.contains("drawing");
    view.lasso = draws ? [start] : null;
    if (draws) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const spot = place(event);
    if (start && view.lasso) {
      view.lasso.push(spot);
      showTip(-1);
    } else {
      view.hover = nearestTo(...spot, 14);
      showTip(view.hover);
    }
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!start) return;
    const spot = place(event);
    const moved = Math.hypot(spot[0] - start[0], spot[1] - start[1]) > 6 || (view.lasso && view.lasso.length > 12);
    const polygon = view.lasso;
    [start, view.lasso] = [null, null];
    if (moved && polygon) {
      select(data.rows.map((_, row) => row).filter((row) => isInside(polygon, ...onScreen(row))), "");
    } else {
      const row = nearestTo(...spot, 20);
      if (row >= 0) showRow(row); else clearMap();
    }
  });
  canvas.addEventListener("pointercancel", () => { [start, view.lasso] = [null, null]; draw(); });
  canvas.addEventListener("pointerleave", () => { view.hover = -1; showTip(-1); draw(); });
}

/* The nearest point that lies in the direction of an arrow key. */
function step(from, dx, dy) {
  const [x, y] = onScreen(from);
  let [best, least] = [from, Infinity];
  data.rows.forEach((_, row) => {
    const [a, b] = onScreen(row);
    const [along, aside] = [(a - x) * dx + (b - y) * dy, Math.abs((a - x) * dy) + Math.abs((b - y) * dx)];
    const cost = along + 2 * aside;
    if (along > 0.5 && aside <= 2 * along && cost < least) [best, least] = [row, cost];
  });
  return best;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function startKeys(canvas) {
  canvas.addEventListener("keydown", (event) => {
    const first = view.hover >= 0 ? view.hover : view.focus;
    if (ARROWS[event.key]) {
      view.hover = first < 0 ? 0 : step(first, ...ARROWS[event.key]);
      showTip(view.hover);
      byId("map-status").textContent = `${titleOf(view.hover)}: ${data.columns.slice(0, 6).map((column, place) => `${column.name} ${cellOf(view.hover, place)}`).join(", ")}`;
      draw();
    } else if (event.key === "Enter" || event.key === " ") {
      if (first >= 0) showRow(first);
    } else if (event.key === "Escape") {
      clearMap();
    } else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => { view.hover = -1; showTip(-1); draw(); });
}

function startMap() {
  const canvas = byId("map-canvas");
  const color = byId("map-color");
  color.append(make("option", { value: "cluster" }, "cluster"),
    ...data.columns.map((column, number) => make("option", { value: number }, column.name)));
  const layout = byId("map-layout");
  layout.append(...Object.keys(data.layouts).map((name) => make("option", { value: name }, name)));
  readPlaces(layout.value);
  color.addEventListener("change", () => {
    recolor();
    byId("map-status").textContent = `Colored by ${color.selectedOptions[0].textContent}.`;
  });
  layout.addEventListener("change", () => { readPlaces(layout.value); draw(); });
  byId("map-clear").addEventListener("click", clearMap);
  byId("map-lasso").addEventListener("click", (event) => {
    const on = canvas.classList.toggle("drawing");
    event.currentTarget.setAttribute("aria-pressed", String(on));
  });
  startPointer(canvas);
  startKeys(canvas);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
  recolor();
  markCards();
  sayCounts();
}

startTables();
startMap();
startPair();
