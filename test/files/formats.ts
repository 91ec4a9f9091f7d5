import type { SaveFormat } from "../../src/index.js";

const FORMATS: Readonly<Record<SaveFormat, true>> = {
  csv: true,
  json: true,
  jsonl: true,
  xlsx: true,
  parquet: true,
  arrow: true,
};

/** The formats that are promised: a new one does not compile until it is here, and in every test of all formats. */
export const SAVE_FORMATS = Object.keys(FORMATS) as SaveFormat[];
