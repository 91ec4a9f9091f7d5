// import { openCorpus, cross, … } from "archive-frames/corpus"

export type { Corpus } from "./corpus.js";
export type { CorpusInfo } from "./corpusInfo.js";
export type { Lookup } from "./definition/definition.js";
export { type CorpusSearch, type CorpusSearches, type CrossValues, cross } from "./definition/searches.js";
export { type OpenCorpusOptions, openCorpus } from "./openCorpus.js";
export type { ExportOptions } from "./publish/exportCorpus.js";
export type { CorpusPlan, PlanOptions } from "./run/planCorpus.js";
export type { CorpusCounts, CorpusSummary, FailedSearch, RefreshOptions, RunOptions } from "./run/runOptions.js";
export type { CorpusCheck } from "./verifyCorpus.js";
