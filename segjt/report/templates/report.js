"use strict";

// A picture that several items share is stored once.
for (const image of document.querySelectorAll("img[data-same]")) {
  image.src = document.getElementById(image.dataset.same).src;
}

// Tables: a click on a header sorts, a second one reverses the order. Cells without a value stay last.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compareCells(a, b, sign) {
  const [x, y] = [a, b].map((cell) => cell.dataset.value);
  if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
  return sign * collator.compare(a.textContent, b.textContent);
}

function sortTable(header) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const before = header.getAttribute("aria-sort");
  const first = header.classList.contains("number") ? "descending" : "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const order = before === first ? second : first;
  const sign = order === "ascending" ? 1 : -1;
  for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => compareCells(a.cells[column], b.cells[column], sign)));
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortTable(button.parentNode));
}

// Gallery: filters, and best or worst first. Items come sorted, best first, those without a score last.
const controls = document.getElementById("controls");
if (controls) {
  const items = [...document.querySelectorAll(".item")];
  const search = document.getElementById("search");
  const selects = [...controls.querySelectorAll("select")];
  const worst = document.getElementById("worst");

  const fits = (item) =>
    item.dataset.name.toLowerCase().includes(search.value.trim().toLowerCase()) &&
    selects.every((select) => !select.value || item.getAttribute(`data-${select.id}`) === select.value);

  const filter = () => {
    for (const item of items) item.hidden = !fits(item);
    const left = items.filter((item) => !item.hidden).length;
    document.getElementById("count").textContent = `${left} of ${items.length}`;
    document.getElementById("nothing").hidden = left > 0;
  };

  const clear = () => {
    search.value = "";
    for (const select of selects) select.value = "";
    filter();
  };

  // A link to an item that is filtered out shows it; one to its parameters opens them.
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest(".item[hidden]")) clear();
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  };

  controls.hidden = false;
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", filter);
  document.getElementById("clear").addEventListener("click", clear);
  if (worst) {
    worst.addEventListener("change", () => {
      const scored = items.filter((item) => item.dataset.score !== undefined);
      const others = items.filter((item) => item.dataset.score === undefined);
      document.getElementById("items").append(...(worst.checked ? scored.reverse() : scored), ...others);
    });
  }
  window.addEventListener("hashchange", follow);
  filter(); // a browser may have kept what was typed before the page was loaded again
  if (worst && worst.checked) worst.dispatchEvent(new Event("change"));
  follow();
}
