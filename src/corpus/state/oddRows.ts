import { groupBy } from "../../util/groupBy.js";
import type { CorpusState } from "./corpusState.js";
import { identifier, sqlRows, sqlValue } from "./sqlText.js";

/** Beyond 2^53 within a transaction, so `row` is text. */
type OddRow = { readonly row: string; readonly place: number; readonly id: string | null; readonly content: string };

/**
 * Gives the rows in `batch` ids of their own. A mention without id gets one from its content. If one response has an id for several
 * contents, each is a mention: `17`, `17#2`. What mentions have keeps its number, any other content gets the first free one.
 *
 * @param hasRepeated whether a response has an id for several contents
 * @returns the rows without an id of each window, by place
 */
export async function nameOddRows(state: CorpusState, hasRepeated: boolean): Promise<ReadonlyMap<number, number>> {
  const { columns, repeated } = state;
  const without = await state.rows<{ place: number; n: number }>(
    "select batch_place as place, count(*)::int as n from batch where id is null or id = '' group by all",
  );
  if (without.length === 0 && repeated.size === 0 && !hasRepeated) return new Map();
  const declared = columns.declared.filter((name) => name !== "id");
  const sha = (names: readonly string[]) =>
    `sha256(to_json([${names.map((name) => `${identifier(name)}::varchar`).join(", ")}])::varchar)`;
  const rows =
    await state.rows<OddRow>(`select rowid as row, batch_place as place, nullif(id, '') as id, ${sha(declared)} as content from batch
    where id is null or id = '' or id in (${[...repeated, ""].map(sqlValue).join(", ")})
      or id in (select id from batch where id is not null group by batch_place, id having count(*) > 1)
    order by place, id, content, ${sha(columns.names)}`);
  const ids = new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])));
  const known = await state.rows<{ id: string; key: string; content: string }>(
    `select regexp_replace(id, '#\\d+$', '') as id, id as key, ${sha(declared)} as content from mentions
      where regexp_replace(id, '#\\d+$', '') in (${[...ids, ""].map(sqlValue).join(", ")})`,
  );
  /** The id of a mention with this id on the wire and this content. */
  const keys = new Map(known.map(({ id, key, content }) => [`${id} ${content}`, key]));
  const named: Array<readonly [row: string, key: string]> = [];
  for (const own of groupBy(rows, ({ place, id }) => `${place} ${id}`).values()) {
    const id = own[0]?.id;
    const taken = new Set<string>();
    const free = (base: string) => {
      for (let number = 1; ; number++) {
        const key = number === 1 ? base : `${base}#${number}`;
        if (!taken.has(key)) return key;
      }
    };
    const take = ({ row }: OddRow, key: string) => {
      taken.add(key);
      named.push([row, key]);
    };
    if (id && own.length > 1) repeated.add(id);
    const rest = own.filter((row) => {
      const key = id ? keys.get(`${id} ${row.content}`) : undefined;
      if (key === undefined || taken.has(key)) return true;
      take(row, key);
      return false;
    });
    for (const row of rest) {
      const key = free(id ?? `sha256:${row.content.slice(0, 16)}`);
      take(row, key);
      for (const [content, other] of keys) if (other === key) keys.delete(content);
      if (id) keys.set(`${id} ${row.content}`, key);
    }
  }
  await state.run(
    `update batch set id = v.id from ${sqlRows(named.map(([row, id]) => ({ row, id })))} v where batch.rowid = v."row"::bigint`,
  );
  return new Map(without.map(({ place, n }) => [place, n]));
}
