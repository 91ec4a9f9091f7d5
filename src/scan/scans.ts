import type { CallOptions } from "../call/callOptions.js";
import type { ClientContext } from "../call/clientContext.js";
import type { Engine } from "../frames/engine.js";
import type { ParametersOf, SearchName } from "../service/operations/operations.js";
import { ArchiveScan } from "./archiveScan.js";

/** Makes the scan of a search: its query, and the other parameters of the operation. */
export type ScanOf<N extends SearchName, DE extends Engine> = (
  query: string,
  parameters?: Omit<ParametersOf<N>, "query"> & Pick<CallOptions, "unchecked">,
) => ArchiveScan<N, DE>;

/** The searches as lazy frames: `archive.scan.mentions("climate")`. */
export interface Scans<DE extends Engine> {
  readonly bills: ScanOf<"bills", DE>;
  readonly mentions: ScanOf<"mentions", DE>;
  /** Query and names are optional: `archive.scan.people({ last: "Pelosi" })`. */
  readonly people: (
    query?: string | ParametersOf<"people">,
    parameters?: Omit<ParametersOf<"people">, "query">,
  ) => ArchiveScan<"people", DE>;
  readonly programsSearch: ScanOf<"programsSearch", DE>;
}

/** The scans of a client. */
export function scansOf<DE extends Engine>(client: ClientContext): Scans<DE> {
  const scan =
    <N extends SearchName>(operation: N) =>
    (query?: unknown, parameters: object = {}): ArchiveScan<N, DE> => {
      const named = typeof query === "object" && query !== null;
      return new ArchiveScan<N, DE>(client, operation, named ? { ...query } : { query, ...parameters });
    };
  return {
    bills: scan("bills"),
    mentions: scan("mentions"),
    people: scan("people"),
    programsSearch: scan("programsSearch"),
  };
}
