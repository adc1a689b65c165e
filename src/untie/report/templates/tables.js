function saveTable(button) {
  const table = byId(button.dataset.table);
  const lines = [...table.rows].map((row) => [...row.cells].map((cell) =>
    cell.dataset.v ?? cell.textContent.trim()));
  saveCsv(button.dataset.file, lines);
}

/* Whoever has no mouse scrolls a region that has the focus; others need not stop there. */
function markScrollable() {
  for (const region of document.querySelectorAll(".scroll")) {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    if (scrolls) region.tabIndex = 0; else region.removeAttribute("tabindex");
  }
}

function startTables() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.csv[data-table]");
    if (button) saveTable(button);
  });
  document.addEventListener("toggle", markScrollable, true);
  window.addEventListener("resize", markScrollable);
  markScrollable();
  let closed = [];
  window.addEventListener("beforeprint", () => {
    /* What goes deep would fill pages; it is printed if it was opened. */
    closed = [...document.querySelectorAll("details:not([open]):not(.deep)")];
    closed.forEach((element) => { element.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
}
