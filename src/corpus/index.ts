// import { openCorpus, cross, … } from "archive-frames/corpus"
export { Corpus } from "./corpus.js";
export type { CorpusInfo } from "./corpusInfo.js";
export { type BillSearchOptions, searchesOfBills } from "./definition/billSearches.js";
export type { Lookup } from "./definition/definition.js";
export type { CorpusBill, CorpusBills } from "./definition/readBills.js";
export type { CorpusSearches } from "./definition/readSearches.js";
export type { CorpusSearch } from "./definition/search.js";
export { type CrossValues, cross } from "./definition/search.js";
export { type OpenCorpusOptions, openCorpus } from "./openCorpus.js";
export type { ExportOptions } from "./publish/exportCorpus.js";
export { type Fidelity, type HydrateOptions, type Hydration, hydrateCorpus } from "./publish/hydrateCorpus.js";
export type { CorpusPlan, PlanOptions } from "./run/planCorpus.js";
export type { CorpusSummary, RefreshOptions, RunOptions } from "./run/runOptions.js";
export type { SpeechesOnBillsOptions } from "./speechesOnBills.js";
export type { CorpusCheck } from "./verifyCorpus.js";
