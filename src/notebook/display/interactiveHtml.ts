import { deflateRawSync } from "node:zlib";
import { notebookHost } from "../../call/notebookHost.js";
import { clip } from "../../util/quoted.js";
import type { DisplaySettings } from "./displayOptions.js";
import { printable } from "./displayText.js";
import type { Cell, Grid } from "./grid.js";
import { ROOT_CLASS } from "./gridHtml.js";

/** Rows that an interactive table has at most, and bytes of its HTML. */
const MAX_ROWS = 1000;
const MAX_BYTES = 150_000;
/** Rows of a page. */
const PAGE = 20;
/** Lengths of texts, tried in order until the HTML is small enough. */
const LENGTHS = [2000, 500, 200, 100, 50];

/**
 * A static table with its rows as packed data, and a script that sorts, searches and pages them. Where scripts do not run, the static
 * table stays. If even short texts do not fit, the table has fewer rows.
 *
 * @param html the static table
 * @param gridOf makes the grid of the first rows of the frame, with the columns of the static table
 */
export function interactiveHtml(html: string, gridOf: (rows: number) => Grid, settings: DisplaySettings): string {
  const { width, wrap, links } = settings;
  const size = Math.max(1, settings.rows ?? PAGE);
  for (let rows = MAX_ROWS; rows >= 1; rows = Math.floor(rows / 2)) {
    const { columns, ...grid } = gridOf(rows);
    if (columns.length === 0) break;
    for (const length of LENGTHS) {
      const cells = columns.map((column) => column.cells.map((cell) => cellData(cell, length)));
      const { rows: count, rowGap: gap } = grid;
      const kinds = columns.map(
        ({ numeric, dtype, context }) => context ?? (numeric ? "number" : dtype === "duration" ? "duration" : "text"),
      );
      const table = { cells, kinds, count, isAll: gap === undefined, size, width, wrap, links };
      const scripts = `<script type="text/plain">${packed(table)}</script><script>${SCRIPT}</script></div>`;
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

/** Null, a text, or a shortened text with the whole one. */
function cellData(cell: Cell | null, length: number): string | null | [text: string, full: string] {
  if (cell === null) return null;
  const text = printable(clip(cell.text, length));
  return cell.full === undefined ? text : [text, printable(cell.full)];
}

/** Runs in the page. It puts texts into text nodes and attributes only, and has no `<`, which could end its element. */
const SCRIPT = String.raw`
for (const data of document.querySelectorAll(".${ROOT_CLASS} > script[type='text/plain']")) (async () => {
  const root = data.parentNode, packed = Uint8Array.from(atob(data.textContent), (letter) => letter.charCodeAt(0));
  data.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const { cells, kinds, count, isAll, size, width, wrap, links } = await new Response(stream).json();
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
  const all = Array.from({ length: count }, (_, row) => row);
  const both = (column, row) => [cells[column][row]].flat(), heads = [...root.querySelectorAll("th")];
  const texts = all.map((row) => cells.map((_, column) => both(column, row).join("\n")).join("\n").toLowerCase());
  const key = {
    number: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text.replace("inf", "Infinity"))),
    duration: (text) => text.split(/ d |:/).reverse().reduce((sum, part, at) => sum + Math.abs(part) * [1, 60, 3600, 86400][at], 0) * (text[0] === "-" ? -1 : 1),
  };
  let by = -1, falls = false, page = 0;
  const order = (keys, a, b) => {
    const [x, y] = [keys[a], keys[b]];
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    return (typeof x === "string" ? x.localeCompare(y) : x > y ? 1 : y > x ? -1 : 0) * (falls ? -1 : 1);
  };
  const sorted = (found) => {
    if (by === -1) return found;
    const keys = all.map((row) => {
      const text = both(by, row).at(-1), value = text === null ? undefined : (key[kinds[by]] ?? String)(text);
      return Number.isNaN(value) ? undefined : value;
    });
    return found.sort((a, b) => order(keys, a, b));
  };
  const td = (column, row) => {
    const kind = kinds[column], [text, full = text] = both(column, row);
    if (text === null) return make("td", kind === "number" ? { class: "af-num" } : {}, make("i", { class: "af-null" }, "null"));
    const letters = [...text], start = kind === "left" ? "…" + letters.slice(-width).join("") : letters.slice(0, width).join("") + "…";
    const shown = letters.length > width ? start : text;
    const content = links && /^https?:\/\/[^\s…]+$/i.test(text) ? make("a", { href: text, target: "_blank", rel: "noopener noreferrer" }, shown)
      : kind === "keyword" ? make("strong", {}, shown) : shown;
    const style = kind === "number" || kind === "left" ? "af-num" : wrap ? "af-wrap" : "";
    return make("td", { class: style, title: shown === full ? "" : full }, content);
  };
  const draw = () => {
    const words = input.value.toLowerCase(), found = sorted(all.filter((row) => texts[row].includes(words)));
    page = Math.max(0, Math.min(page, Math.ceil(found.length / size) - 1));
    const shown = found.slice(page * size, page * size + size);
    root.querySelector("tbody").replaceChildren(...shown.map((row) => {
      let column = 0;
      return make("tr", {}, ...heads.map((head) => head.matches(".af-gap") ? make("td", { class: "af-gap" }, "…") : td(column++, row)));
    }));
    back.disabled = page === 0;
    next.disabled = page * size + size >= found.length;
    const from = page * size + Math.min(1, shown.length), part = isAll ? "" : ", in the first " + count + " rows";
    status.textContent = "rows " + from + "–" + (page * size + shown.length) + " of " + found.length + (words ? " that match" : "") + part;
  };
  heads.filter((head) => !head.matches(".af-gap")).forEach((head, column) => {
    const mark = head.appendChild(make("span", {}));
    head.tabIndex = 0;
    head.style.cursor = "pointer";
    head.onclick = () => {
      [by, falls] = by !== column ? [column, false] : falls ? [-1, false] : [column, true];
      for (const each of heads) each.removeAttribute("aria-sort"), each.tabIndex === 0 && (each.lastChild.textContent = "");
      if (by === column) head.setAttribute("aria-sort", falls ? "descending" : "ascending"), (mark.textContent = falls ? " ▼" : " ▲");
      page = 0;
      draw();
    };
    head.onkeydown = (event) => { if (event.key === "Enter") head.onclick(); };
  });
  input.oninput = () => { page = 0; draw(); };
  back.onclick = () => { page -= 1; draw(); };
  next.onclick = () => { page += 1; draw(); };
  // Letters are no shortcuts of the notebook here.
  tools.onkeydown = (event) => event.stopPropagation();
  draw();
})();
`;
