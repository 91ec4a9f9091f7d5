// import { show, chart } from "archive-frames/notebook"

// Show values under a cell.

export { display, show } from "./display/displayBundle.js";
export { type DisplayOptions, displayDefaults } from "./display/displayOptions.js";

// Ask the user for a key.

export { secret } from "./secret.js";

// Charts.

export type { Period } from "../util/period.js";
export { chart } from "./charts/chart.js";
export type { ChartEvent, SeriesOptions } from "./charts/chartSeries.js";
export { Chart } from "./charts/drawChart.js";
export { mentionsOverTime } from "./charts/mentionsOverTime.js";

// Charts of the results of archive-frames/text.

export { estimates, ratesOverTime } from "./charts/resultCharts.js";

// Notebooks as HTML reports.

export type { Notebook } from "./notebookFormat.js";
export { type NotebookHtmlOptions, notebookHtml } from "./report/notebookHtml.js";

// Notebooks run without Jupyter. The kernel itself is loaded only when one runs.

export type { NotebookError } from "../kernel/headless/notebookErrors.js";
export { type RunOptions, runNotebook } from "../kernel/headless/runNotebook.js";
