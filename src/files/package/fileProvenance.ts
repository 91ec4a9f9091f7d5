import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/isObject.js";

/**
 * The provenance that a saved file carries: no times or addresses that change from run to run.
 *
 * @example
 * const provenance = await readFileProvenance("climate.parquet");
 * provenance?.operation; //=> "mentions"
 */
export interface FileProvenance
  extends Pick<
    Provenance,
    | "operation"
    | "parameters"
    | "source"
    | "rows"
    | "duplicates"
    | "conflicts"
    | "verdict"
    | "reason"
    | "cursor"
    | "sha256"
    | "version"
  > {
  /** The date of the last response in UTC, `2026-11-21`; null if there was none. */
  readonly retrieved: string | null;
}

/** The provenance in `datapackage.json`: everything except paths and caches of the machine that wrote the file. */
export type PackagedProvenance = FileProvenance & Omit<Provenance, "snapshot" | "cached">;

/** The part of a provenance that goes into the file itself. Two runs of a search on one day give the same bytes. */
export function fileProvenance(provenance: Provenance): FileProvenance {
  const { operation, parameters, source, rows, duplicates, conflicts, verdict, reason, cursor, sha256, version } =
    provenance;
  const retrieved = provenance.lastResponseAt?.slice(0, 10) ?? null;
  return {
    operation,
    parameters,
    source,
    retrieved,
    rows,
    duplicates,
    conflicts,
    verdict,
    reason,
    cursor,
    sha256,
    version,
  };
}

/** Validates a provenance that was read from a file, which may come from elsewhere. */
export function isFileProvenance(value: unknown): value is FileProvenance {
  if (!isObject(value)) return false;
  const { operation, parameters, source, retrieved, rows, verdict, reason, cursor, sha256, version } = value;
  const { duplicates = 0, conflicts = 0 } = value;
  const haveStrings = [operation, source, verdict, version].every((text) => typeof text === "string");
  const haveStringsOrNull = [retrieved, reason, cursor ?? null, sha256 ?? null].every(
    (text) => text === null || typeof text === "string",
  );
  const haveCounts = [rows, duplicates, conflicts].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0,
  );
  return (
    haveStrings &&
    haveStringsOrNull &&
    haveCounts &&
    isObject(parameters) &&
    Object.values(parameters).every(isPrimitive)
  );
}

function isPrimitive(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** The part of a provenance that goes into `datapackage.json`. */
export function packagedProvenance(provenance: Provenance): PackagedProvenance {
  const { snapshot: _snapshot, cached: _cached, ...rest } = provenance;
  return { ...fileProvenance(provenance), ...rest };
}
