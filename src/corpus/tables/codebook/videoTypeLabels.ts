import { type PolarsFrame, pl } from "../../../frames/polars.js";
import { VIDEO_TYPES } from "../../../service/operations/operations.js";
import { readPart } from "../parquetPart.js";
import { readTable } from "../table.js";

/** How many mentions that searches for a type of video found have a number. */
export type VideoTypeCount = readonly [type: string, id: number, mentions: number];

/** The share of a search's mentions that must have the same number. */
const MIN_SHARE = 0.9;

const NUMBERS = [pl.col("id"), pl.col("videoTypeId").cast(pl.Int64)];
const HAS_NUMBER = pl.col("videoTypeId").isNotNull();
const MENTIONS = pl.col("id").count().alias("mentions");

/**
 * Learns the names of `videoTypeId`: requests name a type of video, rows have its number. The mentions that searches for one
 * type found have its number, so nothing is assumed about the service.
 */
export class VideoTypeLabels {
  /** The searches that have a video type, and it: counts of others mean something else. */
  readonly key: string;
  /** The video type of each search that has one. */
  readonly #types: PolarsFrame | undefined;
  readonly #counts = new Map<string, Map<number, number>>();

  constructor(readonly dir: string) {
    const found = searchesWithType(dir);
    this.key = JSON.stringify(found.map(({ search, type }) => [search, type]).sort());
    if (found.length > 0) this.#types = pl.DataFrame(found);
  }

  /** Counts the numbers in a file of mentions. */
  count(rows: PolarsFrame, path: string): VideoTypeCount[] {
    const hits = this.#types && this.#hits(hitsOf(path));
    if (hits === undefined) return [];
    const numbers = rows.select(...NUMBERS).filter(HAS_NUMBER);
    const counted = hits
      .join(this.#types as PolarsFrame, { on: "search", how: "inner" })
      .join(numbers, { on: "id", how: "inner" })
      .groupBy("type", "videoTypeId")
      .agg(MENTIONS);
    return counted.select("type", "videoTypeId", "mentions").rows() as unknown as VideoTypeCount[];
  }

  /** Adds the counts of a file. */
  add(counted: readonly VideoTypeCount[]): void {
    for (const [type, id, count] of counted) {
      const counts = this.#counts.get(type) ?? new Map<number, number>();
      this.#counts.set(type, counts.set(id, (counts.get(id) ?? 0) + count));
    }
  }

  /** The names by number, in the order of the numbers. */
  labels(): ReadonlyMap<number, string> {
    const labels = [...this.#counts].flatMap(([type, counts]) => {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return [...counts].filter(([, count]) => count >= MIN_SHARE * total).map(([id]): [number, string] => [id, type]);
    });
    return new Map(labels.sort(([a], [b]) => a - b));
  }

  #hits(path: string): PolarsFrame | undefined {
    try {
      return readPart(this.dir, path).select("search", "id");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}

/** The hits of the mentions in a file. */
export function hitsOf(path: string): string {
  return path.replace("tables/mentions/", "tables/hits/");
}

function searchesWithType(dir: string): Array<{ search: string; type: string }> {
  const searches = readTable(dir, "searches");
  const columns = searches?.columns ?? [];
  if (searches === undefined || !["search", "parameters"].every((name) => columns.includes(name))) return [];
  return (searches.select("search", "parameters").unique().rows() as Array<[unknown, unknown]>).flatMap(
    ([search, parameters]) => {
      const type = videotypeOf(parameters);
      return type === undefined ? [] : [{ search: String(search), type }];
    },
  );
}

/** The video type among the parameters of a search, as the service spells it. */
function videotypeOf(parameters: unknown): string | undefined {
  try {
    const { videotype } = JSON.parse(String(parameters)) as { readonly videotype?: unknown };
    return VIDEO_TYPES.find((name) => name.toLowerCase() === String(videotype).trim().toLowerCase());
  } catch {
    return undefined;
  }
}
