// Code in tables may break where a reader would break it: behind brackets, dots, commas and signs.
document.addEventListener("DOMContentLoaded", () => {
  for (const span of document.querySelectorAll("td code .pre, th code .pre, h1 code .pre")) {
    const parts = span.textContent.split(/(?<=[(\[{.,=/|]|[a-z0-9]_)/);
    span.replaceChildren(...parts.flatMap((part, n) => (n ? [document.createElement("wbr"), part] : [part])));
  }
});
