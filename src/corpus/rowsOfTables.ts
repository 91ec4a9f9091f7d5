import { pl } from "../frames/polars.js";
import { hits, mentions, people, programs } from "./tables/corpusTables.js";

/** The number of rows of each table. */
export async function rowsOfTables(dir: string) {
  const count = async (table: typeof mentions) => Number((await table(dir).select(pl.len()).collect()).row(0)[0]);
  return {
    mentions: await count(mentions),
    hits: await count(hits),
    people: await count(people),
    programs: await count(programs),
  };
}
