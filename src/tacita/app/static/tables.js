// Tables: cells that tell of themselves on hover and focus, arrows to go through them, forms of methods.
import { clear, load } from "/static/bench.js";

const tip = document.getElementById("tip");
const GAP = 6; // pixels between a cell and what is told of it
let told = null; // the cell that the tip is about

function show(button) {
  hide();
  told = button;
  tip.textContent = button.dataset.tip;
  tip.hidden = false;
  const cell = button.getBoundingClientRect();
  const left = Math.min(cell.left, innerWidth - tip.offsetWidth - GAP);
  const below = cell.bottom + GAP + tip.offsetHeight <= innerHeight;
  tip.style.left = `${Math.max(left, GAP)}px`;
  tip.style.top = `${below ? cell.bottom + GAP : Math.max(cell.top - tip.offsetHeight - GAP, GAP)}px`;
  button.setAttribute("aria-describedby", "tip");
}

function hide() {
  tip.hidden = true;
  told?.removeAttribute("aria-describedby");
  told = null;
}

// One cell of a table is reached with Tab, the others from it with the arrow keys.
function reach(button) {
  button.closest("table").querySelectorAll("button.cell[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
  button.tabIndex = 0;
  button.focus();
}

function neighbour(button, key) {
  const cell = button.closest("td");
  const row = cell.parentElement;
  const rows = [...row.parentElement.rows];
  let [down, across] = [rows.indexOf(row), cell.cellIndex];
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  do {
    down += step[0];
    across += step[1];
    const found = rows[down]?.cells[across];
    if (!found || found.tagName !== "TD") return null;
    if (found.querySelector("button.cell")) return found.querySelector("button.cell");
  } while (true);
}

function asked(form, more) {
  const said = new URLSearchParams(new FormData(form));
  const outer = [];
  form.querySelectorAll("[data-axis]").forEach((one) => { outer[Number(one.dataset.axis)] = one.value; });
  if (outer.length) said.set("outer", Array.from(outer, (one) => one ?? 0).join("."));
  for (const [name, value] of Object.entries(more)) said.set(name, value);
  return `${form.dataset.grid}?${said}`;
}

// Two attributes cannot both be down: the one that was there gives way.
function untangle(form, changed) {
  const [down, across] = [form.elements.down, form.elements.across];
  if (!down || down.value !== across.value) return;
  const other = changed === down ? across : down;
  other.value = [...other.options].find((one) => one.value !== changed.value).value;
}

function choose(choice) {
  const place = document.querySelector(choice.dataset.chosen);
  if (choice.value) load(place, choice.dataset.choose + encodeURIComponent(choice.value));
  else clear(place);
}

document.addEventListener("change", (event) => {
  const choice = event.target;
  const form = choice.closest("form[data-grid]");
  if (form) {
    untangle(form, choice);
    const place = form.closest("[data-fragment]");
    load(place, asked(form, {})).then(() => {
      if (document.activeElement === document.body) document.getElementById(choice.id)?.focus(); // who went on stays there
    });
  }
  if (choice.matches("[data-choose]")) choose(choice);
});

document.addEventListener("click", (event) => {
  const cell = event.target.closest("button.cell");
  if (cell) {
    reach(cell);
    const table = cell.closest("table");
    load(document.getElementById("cell"), `${table.dataset.cells}${cell.dataset.row}${table.dataset.more}`);
  }
  const part = event.target.closest("[data-from]");
  if (part) {
    const place = document.querySelector(part.dataset.into);
    load(place, part.dataset.from).then(() => place.scrollIntoView({ block: "nearest" }));
  }
  const page = event.target.closest("[data-page]");
  if (page) {
    const place = page.closest("[data-fragment]");
    const form = place.querySelector("form[data-grid]");
    const at = { first: page.closest("[data-pages]").dataset.first, start: page.closest("[data-pages]").dataset.start };
    load(place, asked(form, { ...at, [page.dataset.page]: page.dataset.to }));
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  const cell = event.target.closest?.("button.cell");
  if (!cell || !event.key.startsWith("Arrow")) return;
  const next = neighbour(cell, event.key);
  if (next) reach(next);
  event.preventDefault();
});

for (const [kind, act] of [["mouseover", show], ["focusin", show], ["mouseout", hide], ["focusout", hide]]) {
  document.addEventListener(kind, (event) => {
    const cell = event.target.closest?.("button.cell");
    if (cell) act(cell);
  });
}

document.addEventListener("scroll", () => { if (told) show(told); }, true);

// A cell that is gone tells of itself no more.
document.addEventListener("enlivened", () => { if (told && !told.isConnected) hide(); });

// A form of a grid is not sent anywhere: its choices load the grid.
document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-grid]")) event.preventDefault();
});

// The picture of compared ways: a point chosen shows its pattern in the grid.
document.addEventListener("drawn", (event) => {
  const address = event.target.dataset.ways;
  if (!address) return;
  event.detail.addEventListener("click", (_, item) => {
    if (item?.datum?.place === undefined) return;
    const grid = document.getElementById("grid");
    load(grid, address + item.datum.place).then(() => grid.scrollIntoView({ block: "nearest" }));
  });
});

document.addEventListener("enlivened", (event) => {
  const first = event.target.querySelector?.("table.cells button.cell");
  if (first) first.tabIndex = 0;
});
