import { operations } from "../../service/operations/operations.js";
import { identifier } from "../../tables/openDuckDB.js";

/** The columns of the service but for the id, which say what a mention is. */
export const CONTENT_COLUMNS = Object.keys(operations.mentions.columns)
  .filter((name) => name !== "id")
  .map(identifier);

/** The hash of what a mention is. Members that are not declared say nothing of a change. */
export function contentHash(table: string): string {
  return `hash(${CONTENT_COLUMNS.map((name) => `${table}.${name}`).join(", ")})`;
}

/** Updates the mentions of the temporary table `touched`: they have vanished when no search finds them any more, on the day of the last one. */
export function updateVanished(run: number): string {
  return `
    create or replace temp table followed as select m.id, h.day from mentions m join (
        select id, if(count(vanished) = count(*), max(vanished), null) as day from hits semi join touched using (id) group by id
      ) h using (id) where m.vanished is distinct from h.day;
    insert or ignore into before select m.id, m.vanished, ${contentHash("m")} from mentions m semi join followed using (id) where m.run < ${run};
    update mentions m set vanished = f.day, run = ${run} from followed f where m.id = f.id;`;
}
