import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { hits, mentions } from "../../../src/corpus/tables/corpusTables.js";
import { markVanished } from "../../../src/corpus/tables/markVanished.js";
import { mergeRows } from "../../../src/corpus/tables/mergeRows.js";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";
import { runs } from "../../scale.js";
import { crash } from "./crash.js";
import { MergeModel, type ModelRow, type ModelUnit } from "./mergeModel.js";

vi.mock("../../../src/corpus/tables/replaceFile.js", async (original) => {
  const { replaceFile } = (await original()) as { replaceFile: (from: string, to: string) => void };
  return {
    replaceFile: (from: string, to: string) => {
      if (crash.after-- <= 0) throw new Error("crash");
      replaceFile(from, to);
    },
  };
});

const DAYS = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"] as const;
const TIMES = [
  null,
  "2024-03-05T10:00:00Z",
  "2024-03-20T10:00:00Z",
  "2024-04-10T10:00:00Z",
  "2024-12-31T23:59:59Z",
] as const;
const IDS = ["2", "9", "10", "9007199254740993", "x"] as const;

const row = fc.record({
  id: fc.constantFrom(...IDS),
  begintime: fc.constantFrom(...TIMES),
  text: fc.constantFrom("a", "b"),
}) satisfies fc.Arbitrary<ModelRow>;
const source = { search: fc.constantFrom("s1", "s2"), window: fc.constantFrom("w1", "w2") };
const merge = fc.record({
  verb: fc.constant("merge" as const),
  units: fc.array(fc.record({ ...source, rows: fc.array(row, { minLength: 1, maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  crashAfter: fc.option(fc.nat(6)),
});
const vanish = fc.record({
  verb: fc.constant("vanish" as const),
  search: source.search,
  mindate: fc.constantFrom("2024-01-01", "2024-03-05", "2024-04-01"),
  maxdate: fc.constantFrom("2024-03-31", "2024-12-31", "2025-01-31"),
  seen: fc.subarray([...IDS]),
  crashAfter: fc.option(fc.nat(3)),
});

describe("the tables of a corpus", () => {
  it("are those of a plain model, whatever is merged, vanishes, crashes and is repeated", async () => {
    const commands = fc.array(fc.oneof({ weight: 2, arbitrary: merge }, { weight: 1, arbitrary: vanish }), {
      minLength: 1,
      maxLength: DAYS.length,
    });
    await fc.assert(
      fc.asyncProperty(commands, (given) =>
        inDirectory(async (dir) => {
          const model = new MergeModel();
          for (const [at, command] of given.entries()) {
            const day = DAYS[at] as string;
            if (command.verb === "merge") {
              const units = command.units.map((unit) => ({ ...unit, day }));
              const before = idsIn(dir);
              await crashed(
                command.crashAfter,
                () => mergeRows(dir, units.map(unitRows)),
                () => {
                  expect(before.filter((id) => !idsIn(dir).includes(id))).toEqual([]);
                },
              );
              model.merge(units);
            } else {
              const unit = { ...command, day };
              const seen = new Set<string>(command.seen);
              const expected = model.vanish(unit, seen);
              const counted = await crashed(command.crashAfter, () => markVanished(dir, unit, seen));
              if (command.crashAfter === null) expect(counted).toBe(expected);
            }
            expectModel(dir, model);
          }
        }),
      ),
      { numRuns: runs(2, 200) },
    );
  });

  it("have the same bytes whatever the order and the batches of the units, and stay as they are if merged again", async () => {
    const unit = fc.record({
      ...source,
      day: fc.constantFrom(...DAYS),
      ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1 }),
    });
    // A mention changes on the same day for all searches, and does not return to what it was.
    const changedOn = fc.tuple(...IDS.map(() => fc.constantFrom(...DAYS)));
    const cases = fc.tuple(fc.array(unit, { minLength: 2, maxLength: 5 }), changedOn).chain(([units, days]) =>
      fc.record({
        units: fc.constant(
          units.map(({ ids, ...rest }) => ({ ...rest, rows: ids.map((id) => version(id, rest.day, days)) })),
        ),
        order: fc.shuffledSubarray(
          units.map((_unit, at) => at),
          { minLength: units.length },
        ),
        batch: fc.integer({ min: 1, max: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ units, order, batch }) => {
        const whole = await inDirectory(async (dir) => {
          await mergeRows(dir, units.map(unitRows));
          const hashes = hashesOf(dir);
          await mergeRows(dir, units.map(unitRows));
          expect(hashesOf(dir)).toEqual(hashes);
          return hashes;
        });
        const shuffled = await inDirectory(async (dir) => {
          const all = order.map((at) => unitRows(units[at] as ModelUnit));
          for (let at = 0; at < all.length; at += batch) await mergeRows(dir, all.slice(at, at + batch));
          return hashesOf(dir);
        });
        // A partition that a mention has left stays, without rows.
        for (const [path, hash] of whole) expect(shuffled.get(path), path).toBe(hash);
      }),
      { numRuns: runs(2, 150) },
    );
  });
});

function version(id: string, day: string, days: readonly string[]): ModelRow {
  const at = IDS.indexOf(id as (typeof IDS)[number]);
  const isNew = day >= (days[at] as string);
  return { id, begintime: TIMES[isNew ? 2 : 1] ?? null, text: isNew ? "new" : "old" };
}

function unitRows({ rows, ...unit }: ModelUnit) {
  return { ...unit, frame: toDataFrame(rows, { operation: "mentions" }) };
}

async function inDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "model"));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Fails after some files, then does it again. */
async function crashed<T>(
  after: number | null,
  work: () => Promise<T>,
  onCrash: () => void = () => undefined,
): Promise<T> {
  if (after === null) return work();
  crash.after = after;
  try {
    return await work();
  } catch {
    onCrash();
  } finally {
    crash.after = Number.POSITIVE_INFINITY;
  }
  return work();
}

function idsIn(dir: string): string[] {
  return mentions(dir)
    .select("id")
    .collectSync()
    .toRecords()
    .map(({ id }) => id as string);
}

function expectModel(dir: string, model: MergeModel): void {
  const columns = ["id", "begintime", "text", "first_seen", "changed", "vanished", "year", "month"];
  const stored = mentions(dir)
    .select(...columns)
    .collectSync()
    .toRecords();
  const expected = [...model.mentions.values()].map((mention) => ({ ...mention, ...directories(mention.begintime) }));
  expect(byKey(stored.map(asText))).toEqual(byKey(expected));
  const found = hits(dir).select("search", "window", "id", "begintime", "first_seen", "vanished", "year", "month");
  const expectedHits = [...model.hits.values()].map((hit) => {
    const { begintime = null } = model.mentions.get(hit.id) ?? {};
    return { ...hit, begintime, ...directories(begintime) };
  });
  expect(byKey(found.collectSync().toRecords().map(asText))).toEqual(byKey(expectedHits));
}

function directories(begintime: string | null) {
  return begintime === null
    ? { year: null, month: null }
    : { year: Number(begintime.slice(0, 4)), month: Number(begintime.slice(5, 7)) };
}

/** Dates as the model has them. */
function asText(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (!(value instanceof Date)) return [name, value];
      return [
        name,
        name === "begintime" ? value.toISOString().replace(".000Z", "Z") : value.toISOString().slice(0, 10),
      ];
    }),
  );
}

function byKey(records: ReadonlyArray<Record<string, unknown>>): unknown[] {
  const key = ({ id, search = "" }: Record<string, unknown>) => `${search} ${id}`;
  return [...records].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** The hashes of the files by path. */
function hashesOf(dir: string): Map<string, string> {
  const files = readdirSync(join(dir, "tables"), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path): [string, string] => [
        path.slice(dir.length),
        createHash("sha256").update(readFileSync(path)).digest("hex"),
      ]),
  );
}
