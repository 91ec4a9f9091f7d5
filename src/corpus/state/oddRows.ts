import { byCodeUnit } from "../../util/byCodeUnit.js";
import { DECLARED } from "./columns.js";
import type { CorpusState } from "./corpusState.js";
import { identifier, literal, tuples } from "./sqlText.js";

interface OddRow {
  /** Beyond 2^53 within a transaction. */
  readonly row: string;
  readonly place: number;
  readonly id: string | null;
  /** The declared columns, hashed. */
  readonly content: string;
  readonly all: string;
}

/**
 * Gives the rows in `batch` ids of their own. A mention without id gets one from its content. If one response has an id for several
 * contents, each is a mention: `17`, `17#2`.
 *
 * @returns the rows without an id of each window, by place
 */
export async function nameOddRows(
  state: CorpusState,
  fresh: ReadonlyArray<{ readonly repeatedIds: number }>,
): Promise<ReadonlyMap<number, number>> {
  const { database, repeated } = state;
  const without = await database.rows<{ place: number; n: number }>(
    "select place, count(*)::int as n from batch where id is null or id = '' group by place",
  );
  if (without.length === 0 && repeated.size === 0 && fresh.every(({ repeatedIds }) => repeatedIds === 0))
    return new Map();
  const known = [...repeated].map(literal).join(", ");
  const declared = [...DECLARED.keys()].filter((name) => name !== "id").map(identifier);
  const columns = state.columns.names.map(identifier);
  const sha = (names: readonly string[]) =>
    `sha256(to_json([${names.map((name) => `${name}::varchar`).join(", ")}])::varchar)`;
  const rows =
    await database.rows<OddRow>(`select rowid as row, place, id, ${sha(declared)} as content, ${sha(columns)} as "all" from batch
    where id is null or id = '' or ${known === "" ? "false" : `id in (${known})`}
    or id in (select id from batch where id is not null group by place, id having count(*) > 1)`);
  const ids = new Set(rows.flatMap(({ id }) => (id ? [id] : [])));
  for (const [first, ...others] of groups(rows)) if (first?.id && others.length > 0) repeated.add(first.id);
  const keys = await keysByContent(state, ids, sha(declared));
  const named: Array<[row: string, id: string]> = [];
  for (const own of groups(rows)) {
    const { id } = own[0] as OddRow;
    const contents = keys.get(id ?? "") ?? new Map<string, string>();
    keys.set(id ?? "", contents);
    named.push(...(id ? numbered(own, id, contents) : fromContent(own)));
  }
  for (let at = 0; at < named.length; at += 2000)
    await database.run(
      `update batch set id = v.id from (values ${tuples(named.slice(at, at + 2000))}) v(r, id) where batch.rowid = v.r::bigint`,
    );
  return new Map(without.map(({ place, n }) => [place, n]));
}

/** The ids that mentions have by now, by content, of each id that may be repeated. */
async function keysByContent(
  { database }: CorpusState,
  ids: ReadonlySet<string>,
  content: string,
): Promise<Map<string, Map<string, string>>> {
  const keys = new Map<string, Map<string, string>>();
  if (ids.size === 0) return keys;
  const known = await database.rows<{ id: string; key: string; content: string }>(
    `select regexp_replace(id, '#\\d+$', '') as id, id as key, ${content} as content from mentions
      where regexp_replace(id, '#\\d+$', '') in (${[...ids].map(literal).join(", ")})`,
  );
  for (const { id, key, content: one } of known) keys.set(id, (keys.get(id) ?? new Map()).set(one, key));
  return keys;
}

/** The rows of each place and id, in the order of places. */
function groups(rows: readonly OddRow[]): OddRow[][] {
  const groups = new Map<string, OddRow[]>();
  for (const row of rows) {
    const name = `${row.place} ${row.id ?? ""}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.values()].sort((a, b) => (a[0] as OddRow).place - (b[0] as OddRow).place);
}

function fromContent(rows: readonly OddRow[]): Array<[string, string]> {
  const times = new Map<string, number>();
  return sorted(rows).map(({ row, content }) => {
    const time = (times.get(content) ?? 0) + 1;
    times.set(content, time);
    return [row, `sha256:${content.slice(0, 16)}${time === 1 ? "" : `#${time}`}`];
  });
}

/** What mentions have keeps its number, any other content gets the first free one. */
function numbered(rows: readonly OddRow[], id: string, keys: Map<string, string>): Array<[string, string]> {
  const taken = new Set<string>();
  const named: Array<[string, string]> = [];
  const rest: OddRow[] = [];
  for (const row of sorted(rows)) {
    const key = keys.get(row.content);
    if (key === undefined || taken.has(key)) rest.push(row);
    else {
      taken.add(key);
      named.push([row.row, key]);
    }
  }
  for (const row of rest) {
    let number = 1;
    const keyOf = () => (number === 1 ? id : `${id}#${number}`);
    while (taken.has(keyOf())) number++;
    const key = keyOf();
    taken.add(key);
    for (const [content, other] of keys) if (other === key) keys.delete(content);
    keys.set(row.content, key);
    named.push([row.row, key]);
  }
  return named;
}

function sorted(rows: readonly OddRow[]): OddRow[] {
  return [...rows].sort((a, b) => byCodeUnit(a.content, b.content) || byCodeUnit(a.all, b.all));
}
