// import { show, chart } from "archive-frames/notebook"

// Show values under a cell.

export { displayBundle } from "./display/displayBundle.js";
export { type DisplayOptions, type DisplaySettings, displayDefaults } from "./display/displayOptions.js";
export type { DisplayHandle, MimeBundle, OpenDisplay, SvgElement } from "./display/mimeBundle.js";
export { type Display, display, show } from "./display/show.js";

// Ask the user.

export { prompt, secret } from "./prompt.js";

// Progress bars.

export type { ProgressEvent } from "../call/progressEvent.js";
export { progressDisplay } from "./display/progressDisplay.js";

// Charts.

export type { Period } from "../util/period.js";
export { chart } from "./charts/chart.js";
export type { ChartFrame } from "./charts/chartData.js";
export type { ChartSpec } from "./charts/chartSpec.js";
export { Chart } from "./charts/drawChart.js";
export { type MentionsOverTimeOptions, mentionsOverTime } from "./charts/mentionsOverTime.js";
export { type SpeechesBySenatorOptions, speechesBySenator } from "./charts/speechesBySenator.js";

// Charts of the results of archive-frames/text.

export { type KeyTermsOptions, keyTerms } from "./charts/keyTerms.js";
export { type KeywordDispersionOptions, keywordDispersion } from "./charts/keywordDispersion.js";
export { type RatesOverTimeOptions, ratesOverTime } from "./charts/ratesOverTime.js";
export { type SpeakerMatrixOptions, speakerMatrix } from "./charts/speakerMatrix.js";

// Notebooks as HTML reports.

export type { MultilineText, Notebook, NotebookCell, NotebookOutput } from "./notebookFormat.js";
export { type NotebookHtmlOptions, notebookHtml } from "./report/notebookHtml.js";

// Notebooks run without Jupyter. The kernel itself is loaded only when one runs.

export { CellError, KernelError } from "../kernel/headless/notebookErrors.js";
export type { RunOptions } from "../kernel/headless/notebookRun.js";
export { runNotebook } from "../kernel/headless/runNotebook.js";
