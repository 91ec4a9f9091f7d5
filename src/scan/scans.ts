import type { CallOptions } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import type { Engine } from "../frames/engine.js";
import type { ParametersOf, SearchName } from "../service/operations/operations.js";
import { ArchiveScan } from "./archiveScan.js";

/** Parameters of a scan, besides the query. */
export type ScanParameters<N extends SearchName> = Omit<ParametersOf<N>, "query"> & Pick<CallOptions, "unchecked">;

/** Creates a scan from a query and parameters. */
export type ScanOf<N extends SearchName, DE extends Engine> = (
  query: string,
  parameters?: ScanParameters<N>,
) => ArchiveScan<N, DE>;

/** The searches as lazy queries, with their parameters. */
export interface Scans<DE extends Engine> {
  /** `archive.scan.bills("infrastructure")` */
  readonly bills: ScanOf<"bills", DE>;
  /** `archive.scan.mentions("climate", { mindate: "2024-01-01" })` */
  readonly mentions: ScanOf<"mentions", DE>;
  /** `archive.scan.people("Pelosi")`, or `archive.scan.people({ last: "Pelosi" })` */
  readonly people: (
    query?: string | ParametersOf<"people">,
    parameters?: Omit<ParametersOf<"people">, "query">,
  ) => ArchiveScan<"people", DE>;
  /** `archive.scan.programsSearch("text:climate")` */
  readonly programsSearch: ScanOf<"programsSearch", DE>;
}

export function scansOf<DE extends Engine>(client: ClientContext): Scans<DE> {
  const scan =
    <N extends SearchName>(operation: N) =>
    (query?: unknown, parameters: object = {}): ArchiveScan<N, DE> => {
      const named = typeof query === "object" && query !== null ? { ...query } : { query, ...parameters };
      return new ArchiveScan<N, DE>(client, { operation, parameters: named, verbs: [] });
    };
  return {
    bills: scan("bills"),
    mentions: scan("mentions"),
    people: scan("people"),
    programsSearch: scan("programsSearch"),
  } satisfies Record<SearchName, unknown>;
}
