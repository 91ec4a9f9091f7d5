import { faulty, invalid } from "../errors/validators.js";
import { isObject } from "../util/isObject.js";
import { quoted } from "../util/quoted.js";

/** Functions in FROM that read no files. */
const FUNCTIONS = new Set(["range", "generate_series", "unnest"]);

/** The result of DuckDB's `json_serialize_sql`. */
export type Serialized =
  | { readonly error: true; readonly error_message: string; readonly position?: string }
  | { readonly error: false; readonly statements: readonly unknown[] };

/**
 * Returns the names of the given tables that a query reads.
 *
 * @param tree the query as DuckDB parses it
 * @param names of the given tables
 * @throws ValidationError for anything but one SELECT, for other tables, and for functions that may read a file
 */
export function tablesOf(query: string, tree: Serialized, names: readonly string[]): string[] {
  if (tree.error && tree.position === undefined) throw noSelect(query);
  if (tree.error)
    throw faulty(
      "query",
      tree.error_message.replace(/[.!]$/, ""),
      `${placeIn(query, Number(tree.position))}Give one SELECT.`,
    );
  if (tree.statements.length !== 1) throw noSelect(query);
  const read = new Set<string>();
  const own = new Set<string>();
  for (const node of nodesOf(tree.statements)) {
    if (isObject(node.cte_map)) for (const { key } of node.cte_map.map as { key: string }[]) own.add(key.toLowerCase());
    if (node.type === "TABLE_FUNCTION") {
      const { function_name: name } = node.function as { function_name: string };
      if (!FUNCTIONS.has(name)) throw refused(query, name, names);
    }
    if (node.type === "BASE_TABLE") {
      if (node.schema_name !== "" || node.catalog_name !== "") throw refused(query, String(node.schema_name), names);
      read.add(String(node.table_name).toLowerCase());
    }
    if (node.type === "SHOW_REF") throw noSelect(query);
  }
  const unknown = [...read].find((name) => !own.has(name) && !names.some((each) => each.toLowerCase() === name));
  if (unknown !== undefined) throw refused(query, unknown, names);
  return names.filter((each) => read.has(each.toLowerCase()));
}

function noSelect(query: string): Error {
  const hint = /\bpivot\b/i.test(query)
    ? "Name the values of a PIVOT: pivot mentions on party in ('Democrat', 'Republican') using count(*)."
    : "For columns and types, see frame.schema.";
  return invalid("query", query, `Give one SELECT. ${hint}`);
}

/** A place in a query, for messages. */
function placeIn(query: string, position: number): string {
  const [before, after] = [query.slice(0, position), query.slice(position)];
  return `In line ${before.split("\n").length}, at ${quoted(after, 60)}. `;
}

function refused(query: string, name: string, names: readonly string[]): Error {
  const tables = names.length === 0 ? "There are none." : `The tables are ${names.join(", ")}.`;
  return invalid("query", query, `${JSON.stringify(name)} is not one of the tables. ${tables}`);
}

/** Every object in a value. */
function* nodesOf(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (isObject(next)) yield next;
    if (typeof next === "object" && next !== null) waiting.push(...Object.values(next));
  }
}
