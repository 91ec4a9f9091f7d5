import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { methodsOf, provenanceOf, type SpeechesOptions } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { generatedArchive } from "../embedded/support.js";
import { LONG } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { type BillTruth, Corpus, truthOf } from "../tools/truth.js";

const SIZE = 3000;

/** The ids of the mentions that went through the proxy. */
const passed = new Set<string>();

const archive = await generatedArchive({ size: SIZE });
const { bills } = truthOf(new Corpus(1, SIZE));
const proxy = await startScriptedServer(async ({ url }) => {
  const response = await fetch(`${archive.baseUrl}${url}`, { headers: { "x-api-key": archive.apiKey } });
  const body = (await response.json()) as { mentions?: Array<{ id: string }> };
  for (const { id } of body.mentions ?? []) passed.add(id);
  return { status: response.status, body };
});
afterAll(() => proxy.close());

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const options: fc.Arbitrary<Omit<SpeechesOptions, "format" | "engine">> = fc.record({
  minConfidence: optional(fc.constantFrom(0, 0.3, 0.5, 0.9, 1)),
  chamber: optional(fc.constantFrom("senate", "house", "any")),
  inferSpeakers: optional(fc.boolean()),
  videotypes: optional(fc.constantFrom(["Speech"], ["Speech", "Debate", "Hearing"])),
});
const how = fc.constantFrom("row", "title", "number", "both", "variants");

function asGiven({ title, number, congress, row }: BillTruth, by: "row" | "title" | "number" | "both" | "variants") {
  if (by === "row" && row !== null) return row as { billtitle: string };
  if (by === "variants") return { variants: ['"Act"', `"${number}"`], number, congress };
  if (title === "" || by === "number") return { number, congress };
  return by === "title" ? { title, congress } : { title, number, congress };
}

it("every speech that the service sent is included, excluded, unresolved or rejected, and the same call gives the same again", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(bills.length - 1), how, options, async (at, by, chosen) => {
      await using client = clientTo(proxy);
      passed.clear();
      const bill = asGiven(bills[at] as BillTruth, by) as { title: string };
      const frame = await client.speechesOnBill(bill, chosen);
      const { speeches, rows = 0, duplicates: repeated, verdict, sha256 } = provenanceOf(frame) ?? {};
      if (speeches === undefined) return expect.unreachable();
      const sum = (list: ReadonlyArray<{ speeches: number }>) => list.reduce((all, one) => all + one.speeches, 0);
      const { included, excluded, unresolved, rejected, variants, duplicates } = speeches;
      expect(sum(included)).toBe(frame.height);
      expect(sum(included) + sum(excluded) + sum(unresolved) + sum(rejected)).toBe(passed.size);
      const received = variants.reduce((all, one) => all + one.rows, 0);
      expect([rows, repeated]).toEqual([received, duplicates]);
      expect(rows - duplicates).toBe(passed.size);
      expect(variants.reduce((all, { newRows }) => all + newRows, 0)).toBe(passed.size);
      found += passed.size;
      expect(verdict).toBe("complete");
      const again = await client.speechesOnBill(bill, chosen);
      expect(again.frameEqual(frame, true)).toBe(true);
      expect(provenanceOf(again)).toMatchObject({ rows, duplicates, sha256, speeches, verdict });
      expect(methodsOf(again)).toBe(methodsOf(frame));
    }),
    { numRuns: LONG ? 500 : 30 },
  );
  expect(found).toBeGreaterThan(LONG ? 2000 : 50);
});
