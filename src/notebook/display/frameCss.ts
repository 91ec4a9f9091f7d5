/**
 * The class of everything that this package shows as HTML, and with it the mark by which the report knows it again. All its
 * rules begin with this class, twice, to count more than those of a notebook.
 */
export const ROOT_CLASS = "archive-frames";

const R = `.${ROOT_CLASS}.${ROOT_CLASS}`;

// Colours: those of the notebook where it has a name for them (JupyterLab, VS Code), else those of the page around, and greys
// that show on white and on black. Asking for prefers-color-scheme instead would give white text on the white page of a
// notebook without a dark theme.
const RULES: Readonly<Record<string, string>> = {
  [R]: "font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));margin:4px 0",
  [`${R} .af-scroll`]: "overflow-x:auto;max-width:100%",
  [`${R} .af-shape`]: "font-weight:600;margin:0 0 4px",
  [`${R} .af-note`]: "opacity:.75;font-size:12px;margin:4px 0 0",
  [`${R} table`]:
    "border-collapse:collapse;border:0;margin:0;width:auto;table-layout:auto;font:inherit;color:inherit;font-variant-numeric:tabular-nums",
  [`${R} :is(th,td)`]:
    "padding:3px 10px;border:0;text-align:left;vertical-align:top;white-space:nowrap;max-width:none;unicode-bidi:isolate;background:none;color:inherit",
  [`${R} thead th`]: "font-weight:600;border-bottom:1px solid rgba(128,128,128,.6);vertical-align:bottom",
  [`${R} tbody tr`]: "background:none;border:0",
  [`${R} tbody td`]: "border-bottom:1px solid rgba(128,128,128,.18)",
  [`${R} tbody tr:hover td`]: "background:rgba(128,128,128,.12)",
  [`${R} .af-dtype`]: "display:block;font-weight:400;font-size:11px;opacity:.75",
  [`${R} .af-num`]: "text-align:right",
  [`${R} .af-null`]: "opacity:.75;font-style:italic",
  [`${R} .af-gap`]: "opacity:.75",
};

/** The rules of frames; each display brings them along, since it may be the only one on its page. */
export const FRAME_CSS: string = cssText(RULES);

/** Rules as a style sheet. Paper does not scroll, so texts go on in the next line there; names and numbers do not. */
function cssText(rules: Readonly<Record<string, string>>): string {
  const all = Object.entries(rules).map(([selector, body]) => `${selector}{${body}}`);
  const print = `${R} .af-scroll{overflow:visible}${R} td:not(.af-num){white-space:normal;overflow-wrap:anywhere}`;
  return `${all.join("")}@media print{${print}${R} :is(th,td){padding:2px 5px}}`;
}
