import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeenRows } from "../../../src/service/paging/seenRows.js";
import { declaredSchema, scanPage } from "../../frames/pages.js";

/** Drops the duplicates of a page. Returns the positions of its rows in the body, in ascending order, and the number of conflicts. */
function distinct(seen: SeenRows, rows: readonly string[]) {
  const count = { conflicts: 0 };
  const page = pageOf(rows);
  const starts = Array.from({ length: page.records.rows }, (_, row) => page.records.start(row));
  const { records } = seen.withoutDuplicates({ ...page, receivedAt: new Date(0) }, count);
  const positions = Array.from({ length: records.rows }, (_, row) => starts.indexOf(records.start(row)));
  return { positions, conflicts: count.conflicts };
}

const columns = { id: "int", text: "string", length: "int" } as const;

function pageOf(rows: readonly string[]) {
  const bytes = Buffer.from(`{"cursor":"c","rows":[${rows.join(",")}]}`);
  return scanPage(bytes, "rows", declaredSchema(columns));
}

/** A value as JSON, with the members of objects sorted by name. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** The reference implementation of the rule. */
function plainStatuses(rows: ReadonlyArray<Record<string, unknown>>): Array<"duplicate" | "conflict" | "new"> {
  const known = new Set<string>();
  const ids = new Set<unknown>();
  return rows.map((row) => {
    const text = sorted(row);
    const id = row.id === undefined || row.id === null || row.id === "" ? undefined : String(row.id);
    const status = known.has(text) ? "duplicate" : id !== undefined && ids.has(id) ? "conflict" : "new";
    known.add(text);
    ids.add(id);
    return status;
  });
}

const nested = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 0, 1, 2 ** 40, -1.5, "", "a", 'é"\\', "{x,y}"),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("x", "y", "é"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const row = fc.record(
  {
    id: fc.constantFrom<unknown>(1, 2, "1", "90071992547409931234", null, ""),
    text: fc.constantFrom("a", "b", "a, b", 'the "Act"', "é"),
    length: fc.constantFrom<unknown>(1, 2, null),
    more: nested,
    'odd, "name"': fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
);

describe("SeenRows", () => {
  it("agrees with a plain comparison of whole rows, for any order of members and any split into pages", () => {
    const spelling = fc.record({ order: fc.infiniteStream(fc.nat(1000)), space: fc.constantFrom("", " ", "\n") });
    fc.assert(
      fc.property(fc.array(fc.tuple(row, spelling), { maxLength: 40 }), fc.nat(12), (samples, split) => {
        const spelled = samples.map(([values, { order, space }]) => {
          const members = Object.entries(values).map(([name, value]) => ({ name, value, at: order.next().value }));
          members.sort((a, b) => Number(a.at) - Number(b.at));
          const text = members.map(({ name, value }) => `${JSON.stringify(name)}${space}:${JSON.stringify(value)}`);
          return `{${space}${text.join(`,${space}`)}}`;
        });
        const seen = new SeenRows();
        const size = split + 1;
        const statuses = plainStatuses(samples.map(([values]) => values as Record<string, unknown>));
        for (let at = 0; at < spelled.length; at += size) {
          const expected = statuses.slice(at, at + size);
          expect(distinct(seen, spelled.slice(at, at + size))).toEqual({
            positions: expected.flatMap((status, position) => (status === "duplicate" ? [] : [position])),
            conflicts: expected.filter((status) => status === "conflict").length,
          });
        }
      }),
      { numRuns: 300 },
    );
  });
});
