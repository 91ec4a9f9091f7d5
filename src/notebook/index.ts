// import { show, chart } from "archive-frames/notebook"

// Show values under a cell.

export { display, show } from "./display/displayBundle.js";
export type { DisplayOptions } from "./display/displayOptions.js";

// Ask the user for a key.

export { secret } from "./secret.js";

// Charts.

export { chart } from "./charts/chart.js";
export type { ChartSpec } from "./charts/chartSpec.js";
export { Chart } from "./charts/drawChart.js";

// Specifications for charts: of mentions, and of the results of archive-frames/text.

export { estimates, mentionsOverTime, ratesOverTime } from "./charts/templates.js";

// Notebooks as HTML reports.

export type { Notebook } from "./notebookFormat.js";
export { type NotebookHtmlOptions, notebookHtml } from "./report/notebookHtml.js";

// Notebooks run without Jupyter. The kernel itself is loaded only when one runs.

export type { NotebookError } from "../kernel/headless/runNotebook.js";
export { type RunOptions, runNotebook } from "../kernel/headless/runNotebook.js";
