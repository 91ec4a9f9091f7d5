import { deflateRawSync } from "node:zlib";
import { notebookHost } from "../../call/progress.js";
import type { PolarsFrame } from "../../frames/polars.js";
import type { DisplaySettings } from "./displayOptions.js";
import { columnOf, gridOf } from "./frameGrid.js";
import { ROOT_CLASS, rowsHtml } from "./gridHtml.js";

/** Rows that an interactive table has at most, and bytes of its HTML. */
const MAX_ROWS = 1000;
const MAX_BYTES = 200_000;
/** Rows of a page. */
const PAGE = 20;
/** Lengths of hover titles, tried in order until the HTML is small enough. */
const TITLES = [2000, 500, 200, 0];

/**
 * A static table with all its rows as packed HTML, and a script that sorts, searches and pages them. Where scripts do not run, the static
 * table stays. If even rows without titles do not fit, the table has fewer rows.
 *
 * @param html the static table
 */
export function interactiveHtml(
  html: string,
  frame: PolarsFrame,
  isSeries: boolean,
  settings: DisplaySettings,
): string {
  const size = Math.max(1, settings.rows ?? PAGE);
  for (let rows = MAX_ROWS; rows >= 1; rows = Math.floor(rows / 2)) {
    const { rowGap, ...grid } = gridOf(frame, { ...settings, rows, isSeries, isHead: true });
    const ranks = grid.columns.map(({ name }) => [...columnOf(frame, name).head(rows).rank("dense").toArray()]);
    for (const title of TITLES) {
      const lines = rowsHtml({ ...grid, rowGap: undefined }, { ...settings, title });
      const data = { lines, ranks, size, isAll: rowGap === undefined };
      const scripts = `<script type="text/plain">${packed(data)}</script><script>${SCRIPT}</script></div>`;
      const whole = html.replace(/<\/div>$/, () => scripts);
      if (Buffer.byteLength(whole) <= MAX_BYTES) return whole;
    }
  }
  return html;
}

/** Base64, so that nothing of it is markup. Nobody can find a secret in it later, so those that were typed are removed before. */
function packed(table: object): string {
  const json = JSON.stringify(table);
  return deflateRawSync(notebookHost().redact?.(json) ?? json).toString("base64");
}

/** Runs in the page. The rows are HTML that was escaped like that of the static table. It has no `<`, which could end its element. */
const SCRIPT = String.raw`
for (const data of document.querySelectorAll(".${ROOT_CLASS} > script[type='text/plain']")) (async () => {
  const root = data.parentNode, packed = Uint8Array.from(atob(data.textContent), (letter) => letter.charCodeAt(0));
  data.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const { lines, ranks, size, isAll } = await new Response(stream).json();
  const make = (tag, attributes, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const style = "font:inherit;color:inherit;background:none;border:1px solid rgba(128,128,128,.6);border-radius:4px;margin:0 6px 4px 0;padding:1px 8px";
  const input = make("input", { style, type: "search", placeholder: "Search", "aria-label": "Search the rows" });
  const back = make("button", { style, type: "button", "aria-label": "Previous page" }, "‹");
  const next = make("button", { style, type: "button", "aria-label": "Next page" }, "›");
  const status = make("span", { role: "status" }), tools = make("div", {}, input, back, next, status);
  root.querySelector(".af-scroll").before(tools);
  const body = root.querySelector("tbody"), heads = [...root.querySelectorAll("th:not(.af-gap)")];
  body.innerHTML = lines.join("");
  const rows = [...body.rows].map((row, at) => ({ row, at, text: [...row.cells].map((cell) => cell.title || cell.textContent).join("\n").toLowerCase() }));
  let by = -1, falls = false, page = 0;
  const order = (a, b) => {
    const [x, y] = [ranks[by][a.at], ranks[by][b.at]];
    return x === null || y === null ? (x === null) - (y === null) : (x - y) * (falls ? -1 : 1);
  };
  const draw = () => {
    const words = input.value.toLowerCase(), matches = rows.filter(({ text }) => text.includes(words));
    if (by !== -1) matches.sort(order);
    page = Math.max(0, Math.min(page, Math.ceil(matches.length / size) - 1));
    const shown = matches.slice(page * size, page * size + size);
    body.replaceChildren(...shown.map(({ row }) => row));
    back.disabled = page === 0;
    next.disabled = page * size + size >= matches.length;
    const from = page * size + Math.min(1, shown.length), part = isAll ? "" : ", in the first " + rows.length + " rows";
    status.textContent = "rows " + from + "–" + (page * size + shown.length) + " of " + matches.length + (words ? " that match" : "") + part;
  };
  heads.forEach((head, column) => {
    const mark = head.appendChild(make("span", {}));
    head.tabIndex = 0;
    head.style.cursor = "pointer";
    head.onclick = () => {
      [by, falls] = by !== column ? [column, false] : falls ? [-1, false] : [column, true];
      for (const each of heads) each.removeAttribute("aria-sort"), (each.lastChild.textContent = "");
      if (by === column) head.setAttribute("aria-sort", falls ? "descending" : "ascending"), (mark.textContent = falls ? " ▼" : " ▲");
      page = 0;
      draw();
    };
    head.onkeydown = (event) => { if (event.key === "Enter") head.onclick(); };
  });
  input.oninput = () => { page = 0; draw(); };
  back.onclick = () => { page -= 1; draw(); };
  next.onclick = () => { page += 1; draw(); };
  // Letters are not shortcuts of the notebook here.
  tools.onkeydown = (event) => event.stopPropagation();
  draw();
})();
`;
