/**
 * The CSS class of all HTML of this package; reports recognize our HTML by it. All selectors repeat the class to outrank the
 * styles of the notebook.
 */
export const ROOT_CLASS = "archive-frames";

const R = `.${ROOT_CLASS}.${ROOT_CLASS}`;

/**
 * The style sheet of displays. Every one includes it, because it may be the only one on its page. Colors come from the notebook's CSS
 * variables (JupyterLab, VS Code) or are inherited; the greys are legible on white and black. prefers-color-scheme would give white text on
 * white in notebooks without a dark theme. Paper does not scroll, so text wraps in print; headers and numbers do not.
 */
export const FRAME_CSS: string = [
  `${R}{font:13px/1.4 system-ui,sans-serif;color:var(--jp-content-font-color1,var(--vscode-editor-foreground,inherit));margin:4px 0}`,
  `${R} .af-scroll{overflow-x:auto;max-width:100%}`,
  `${R} .af-shape{font-weight:600;margin:0 0 4px}`,
  `${R} .af-note{opacity:.75;font-size:12px;margin:4px 0 0}`,
  `${R} :is(b,small){font-size:inherit;font-weight:inherit}`,
  `${R} table{border-collapse:collapse;border:0;margin:0;width:auto;table-layout:auto;font:inherit;color:inherit;font-variant-numeric:tabular-nums}`,
  `${R} :is(th,td){padding:3px 10px;border:0;text-align:left;vertical-align:top;white-space:nowrap;width:auto;max-width:none;unicode-bidi:isolate;background:none;color:inherit}`,
  `${R} thead th{font-weight:600;border-bottom:1px solid rgba(128,128,128,.6);vertical-align:bottom}`,
  `${R} tbody tr{background:none;border:0}`,
  `${R} tbody td{border-bottom:1px solid rgba(128,128,128,.18)}`,
  `${R} tbody tr:hover td{background:rgba(128,128,128,.12)}`,
  `${R} .af-dtype{font-weight:400;font-size:11px;opacity:.75}`,
  `${R} .af-num{text-align:right}`,
  `${R} .af-null{opacity:.75;font-style:italic}`,
  `${R} .af-gap{opacity:.75}`,
  `${R} td.af-wrap{white-space:normal;overflow-wrap:anywhere;min-width:12em;max-width:48em}`,
  `${R} img{max-width:100%;height:auto}`,
  `${R} a{color:var(--jp-content-link-color,var(--vscode-textLink-foreground,#2a76b8))}`,
  `@media print{${R} .af-scroll{overflow:visible}${R} td:not(.af-num){white-space:normal;overflow-wrap:anywhere}${R} :is(th,td){padding:2px 5px}}`,
].join("");
