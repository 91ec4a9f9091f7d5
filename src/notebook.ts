// import { show, chart } from "archive-frames/notebook"

// Show values under a cell.

export { display, show } from "./notebook/display/displayBundle.js";
export type { DisplayOptions } from "./notebook/display/displayOptions.js";

// Ask the user for a key.

export { secret } from "./notebook/secret.js";

// Charts.

export { chart } from "./notebook/charts/chart.js";
export type { ChartSpec } from "./notebook/charts/chartSpec.js";
export { Chart } from "./notebook/charts/drawChart.js";

// Specifications for charts: of mentions, and of the results of archive-frames/text.

export { estimates, mentionsOverTime, ratesOverTime } from "./notebook/charts/templates.js";

// Notebooks as HTML reports.

export type { Notebook } from "./notebook/notebookFormat.js";
export { type NotebookHtmlOptions, notebookHtml } from "./notebook/report/notebookHtml.js";

// Notebooks run without Jupyter. The kernel itself is loaded only when one runs.

export type { NotebookError } from "./kernel/headless/runNotebook.js";
export { type RunOptions, runNotebook } from "./kernel/headless/runNotebook.js";
