import type { Database } from "../database/database.js";
import { identifier } from "../database/sqlText.js";
import { type Definition, labelNames } from "../definition/definition.js";

/**
 * Makes the table `searches`, which follows from the definition and the windows: a row per search, in the order of the definition.
 *
 * @returns the names of its labels
 */
export async function makeSearches(database: Database, definition: Definition): Promise<string[]> {
  const labels = labelNames(definition);
  const columns = ["search", ...labels, "query", "parameters"].map((name) => [identifier(name), "varchar"]);
  const rows = definition.searches.map(({ id, parameters, labels: own }, number) => {
    const { query, date = null, mindate = date, maxdate = date } = parameters;
    const values = Object.fromEntries(labels.map((name) => [name, own[name] ?? null]));
    return { ...values, search: id, query, parameters: JSON.stringify(parameters), mindate, maxdate, number };
  });
  await database.temporary(
    "definitions",
    { ...Object.fromEntries(columns), mindate: "date", maxdate: "date", number: "integer" },
    rows,
  );
  await database.run(`create or replace temp table searches as select * from definitions join (
    select search, count(*) as windows, count(*) filter (not due) as done, sum(rows)::bigint as rows, sum(requests)::bigint as requests,
      case when count(error) > 0 then 'stopped' when bool_or(due) then 'capped' else 'complete' end as verdict,
      any_value(error) as reason, min(retrieved) as first_retrieved, max(retrieved) as retrieved from windows group by search) using (search)`);
  return labels;
}
