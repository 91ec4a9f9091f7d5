// import { show, chart } from "archive-frames/notebook"

// Show values under a cell.

export { display, displayBundle, show } from "./display/displayBundle.js";
export { type DisplayOptions, displayDefaults } from "./display/displayOptions.js";

// Ask the user.

export { prompt, secret } from "./prompt.js";

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

export { CellError, KernelError } from "../kernel/headless/notebookErrors.js";
export { type RunOptions, runNotebook } from "../kernel/headless/runNotebook.js";
