"use strict";
// Everything is on the page without this script. It shows the titles of marks at once, hides series, sorts tables, and
// lets readers choose the time of a heat map.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);

// The title of a mark goes into an attribute when somebody first looks at it, so that the browser does not show it, too.
function titled(mark) {
  const title = mark.querySelector(":scope > title");
  if (title) {
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  return mark.localName === "svg" ? null : mark.getAttribute("aria-label");
}
document.addEventListener("pointerover", (e) => {
  let text = null;
  for (let at = e.target; at && at.closest && at.closest("svg"); at = at.parentNode) text = text || titled(at);
  tip.hidden = !text;
  tip.textContent = text || "";
});
document.addEventListener("pointermove", (e) => {
  if (tip.hidden) return;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - box.width - 4)) + "px";
  tip.style.top = (e.clientY + 18 + box.height > innerHeight ? e.clientY - box.height - 10 : e.clientY + 18) + "px";
});
document.addEventListener("scroll", () => { tip.hidden = true; }, true);

document.addEventListener("click", (e) => {
  const key = e.target.closest(".keys button");
  if (!key) return;
  const shown = key.getAttribute("aria-pressed") !== "true";
  key.setAttribute("aria-pressed", shown);
  for (const g of key.closest("figure").querySelectorAll("g[data-s]"))
    if (g.dataset.s === key.dataset.k) g.style.display = shown ? "" : "none";
});

// A cell sorts by its number where the column has numbers, and by its text otherwise.
function sort(head) {
  const body = head.closest("table").tBodies[0], at = head.cellIndex;
  const up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => row.cells[at].dataset.v || row.cells[at].textContent;
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)], n = parseFloat(x) - parseFloat(y);
    return isNaN(n) ? x.localeCompare(y) : n;
  });
  body.append(...(up ? rows : rows.reverse()));
}
function sortable(head) {
  head.tabIndex = 0;
  head.setAttribute("role", "button");
  head.addEventListener("click", () => sort(head));
  head.addEventListener("keydown", (e) => { if (e.key === "Enter") sort(head); });
}

// The first place of a slider is the whole run.
function slide(map) {
  const frames = map.dataset.frames.split(" "), times = map.dataset.times.split(",");
  const nodes = [...map.querySelectorAll("[data-n]")];
  const whole = nodes.map((n) => [n.getAttribute("class"), n.querySelector("title")?.textContent]);
  const row = document.createElement("label"), slider = document.createElement("input"), text = document.createElement("output");
  row.className = "time";
  slider.type = "range";
  slider.max = frames.length;
  slider.value = 0;
  text.textContent = "whole run";
  row.append("routers:", slider, text);
  slider.addEventListener("input", () => {
    const at = slider.value - 1;
    text.textContent = at < 0 ? "whole run" : (at ? times[at - 1] : "0") + " to " + times[at];
    nodes.forEach((n, i) => {
      n.setAttribute("class", at < 0 ? whole[i][0] : "h" + frames[at][i]);
      n.querySelector("title")?.remove();
      const share = Math.round(frames[Math.max(at, 0)][i] / 9 * map.dataset.top);
      n.setAttribute("aria-label", at < 0 ? whole[i][1] : whole[i][1].split(":")[0] + ": about " + share + " " + map.dataset.name);
    });
  });
  map.after(row);
}

// A table that is wider than the page says so.
function hint() {
  for (const box of document.querySelectorAll(".wide-table")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("scrolls", scrolls);
    if (scrolls && !box.nextElementSibling?.classList.contains("hint")) {
      const text = document.createElement("p");
      text.className = "hint";
      text.textContent = "\u2192 more columns: scroll the table sideways";
      box.after(text);
    }
  }
}
// prepare is called again when the content of a page is new.
function prepare() {
  document.querySelectorAll("table.sort th").forEach(sortable);
  document.querySelectorAll("svg[data-frames]").forEach(slide);
  hint();
}
prepare();
addEventListener("resize", hint);
document.addEventListener("toggle", hint, true);
