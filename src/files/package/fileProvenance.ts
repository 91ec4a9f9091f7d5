import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { isObject } from "../../util/isObject.js";

/** What a saved file says of where its rows come from. */
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
  /** The day of the last response: UTC, `2026-11-21`; null where none came. */
  readonly retrieved: string | null;
}

/** What `datapackage.json` says: all that does not belong to the machine on which the file was made. */
export type PackagedProvenance = FileProvenance & Omit<Provenance, "snapshot" | "cached">;

/** The part of a provenance that stands in a file itself. Two runs of a search on one day give the same bytes. */
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

/** Whether something that was read is a provenance: a description, or a note in a file, may be somebody else's. */
export function isFileProvenance(value: unknown): value is FileProvenance {
  if (!isObject(value)) return false;
  const { operation, parameters, source, retrieved, rows, verdict, reason, cursor, sha256, version } = value;
  const { duplicates = 0, conflicts = 0 } = value;
  const texts = [operation, source, verdict, version].every((text) => typeof text === "string");
  const orNull = [retrieved, reason, cursor ?? null, sha256 ?? null].every(
    (text) => text === null || typeof text === "string",
  );
  const counts = [rows, duplicates, conflicts].every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  return texts && orNull && counts && isObject(parameters) && Object.values(parameters).every(isPlain);
}

function isPlain(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** The part of a provenance that stands in `datapackage.json`. */
export function packagedProvenance(provenance: Provenance): PackagedProvenance {
  const { snapshot: _snapshot, cached: _cached, ...rest } = provenance;
  return { ...fileProvenance(provenance), ...rest };
}
