import { basename } from "node:path";
import { warn } from "../../errors/warn.js";
import { isObject } from "../../util/objects.js";
import { quoted } from "../../util/text.js";
import { type FileProvenance, MAX_LISTED } from "./fileProvenance.js";
import type { FileResource } from "./fileResource.js";

/** The metadata key of the provenance in a Parquet file. */
export const PARQUET_KEY = "archive-frames";

/** The provenance in the description of a file; undefined, with the warning `FILE_CHANGED`, if the file has changed since. */
export function describedProvenance(path: string, resource: FileResource, isSame: boolean): FileProvenance | undefined {
  const file = quoted(basename(path));
  const provenance = checkedProvenance(resource.provenance, file);
  if (provenance === undefined || isSame) return provenance;
  const text = `${file} has changed since datapackage.json described it, so its provenance is unknown.`;
  warn("FILE_CHANGED", text);
  return undefined;
}

/** The provenance in the metadata of a Parquet file. */
export function metadataProvenance(path: string, metadata: ReadonlyMap<string, string>): FileProvenance | undefined {
  let value: unknown;
  try {
    value = JSON.parse(metadata.get(PARQUET_KEY) ?? "null");
  } catch {
    value = "no JSON";
  }
  return checkedProvenance(value, quoted(basename(path)));
}

// Files are untrusted input: everything else may rely on the form that is checked here.

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === "string" && value.length <= 100_000;
const textOrNull: Check = (value) => value === null || text(value);
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

function listOf(check: Check, { min = 0, max = MAX_LISTED } = {}): Check {
  return (value) => Array.isArray(value) && value.length >= min && value.length <= max && value.every(check);
}

/** An object with these members, and no others. */
function shape(required: Checks, optional: Checks = {}): Check {
  return (value) =>
    isObject(value) &&
    Object.entries(required).every(([name, check]) => Object.hasOwn(value, name) && check(value[name])) &&
    Object.entries(value).every(
      ([name, member]) => Object.hasOwn(required, name) || (Object.hasOwn(optional, name) && optional[name]?.(member)),
    );
}

const search: Checks = {
  ...{ operation: text, source: text, version: text, sha256: text, retrieved: textOrNull },
  parameters: (value) => isObject(value) && Object.values(value).every(text),
  ...{ rows: count, duplicates: count, conflicts: count, reason: textOrNull, cursor: textOrNull },
  verdict: (value) => value === "complete" || value === "capped" || value === "stopped",
};
const pageRows: Check = (value) => value === null || count(value);
const sample = shape({ of: count, rows: count, pages: count, seed: count, pageRows });
const step = shape({ verb: text, text }, { rows: listOf(count, { min: 2, max: 2 }) });
const variable = shape({ name: text, kind: text, values: listOf(text), question: text, scale: text });
const codebook = shape({ variables: listOf(variable), instructions: text, hash: text });
const sources = listOf(shape(search, { sample, codebook }), { min: 1 });
const hasForm = shape(search, { sample, codebook, sources, steps: listOf(step) });

/**
 * The provenance that came with a file. Undefined, with a warning, if a member does not have its form: the rest could be wrong as well.
 *
 * @param file its name, for the warning
 */
export function checkedProvenance(value: unknown, file: string): FileProvenance | undefined {
  if (value === undefined || value === null) return undefined;
  if (hasForm(value)) return value as FileProvenance;
  warn("PROVENANCE_INVALID", `The provenance that came with ${file} does not have the form of ours, and is left out.`);
  return undefined;
}
