import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { provenanceOf, type SpeechesOptions } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { generatedArchive } from "../embedded/support.js";
import { LONG } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { type BillTruth, Corpus, truthOf } from "../tools/truth.js";

const SIZE = 3000;

/** The ids of the mentions that went through the relay. */
const passed = new Set<string>();
/** How many rows came that only show the number of a video type. */
let probed = 0;

const archive = await generatedArchive({ size: SIZE });
const { bills } = truthOf(new Corpus(1, SIZE));
const relay = await startScriptedServer(async ({ url }) => {
  const response = await fetch(`${archive.baseUrl}${url}`, { headers: { "x-api-key": archive.apiKey } });
  const body = (await response.json()) as { mentions?: Array<{ id: string }> };
  for (const { id } of body.mentions ?? []) passed.add(id);
  if (/[?&]limit=1(?:&|$)/.test(url)) probed += body.mentions?.length ?? 0;
  return { status: response.status, body };
});
afterAll(() => relay.close());

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const options: fc.Arbitrary<Omit<SpeechesOptions, "format" | "engine">> = fc.record({
  minConfidence: optional(fc.constantFrom(0, 0.3, 0.5, 0.9, 1)),
  chamber: optional(fc.constantFrom("senate", "house", "any")),
  inferSpeakers: optional(fc.boolean()),
  shortTitles: optional(fc.boolean()),
  allowUnresolved: optional(fc.boolean()),
  maxRequests: optional(fc.integer({ min: 0, max: 40 })),
  videotypes: optional(fc.constantFrom(["Speech"], ["Speech", "Debate", "Hearing"])),
});
const how = fc.constantFrom("row", "title", "number", "both", "variants");

function asGiven({ title, number, congress, row }: BillTruth, by: "row" | "title" | "number" | "both" | "variants") {
  if (by === "row" && row !== null) return { bill: row };
  if (by === "variants") return { variants: ['"Act"', `"${number}"`], number, congress };
  if (title === "" || by === "number") return { number, congress };
  return by === "title" ? { title, congress } : { title, number, congress };
}

it("every speech that the service sent is included, excluded, unresolved or rejected, whatever the options", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(bills.length - 1), how, options, async (at, by, chosen) => {
      await using client = clientTo(relay);
      passed.clear();
      probed = 0;
      const frame = await client.speechesOnBill({ ...asGiven(bills[at] as BillTruth, by), ...chosen });
      const { speeches, rows = 0, duplicates: repeated, verdict } = provenanceOf(frame) ?? {};
      if (speeches === undefined) return expect.unreachable();
      const sum = (list: ReadonlyArray<{ speeches: number }>) => list.reduce((all, one) => all + one.speeches, 0);
      const { included, excluded, unresolved, rejected, variants, duplicates } = speeches;
      expect(sum(included)).toBe(frame.height);
      expect(sum(included) + sum(excluded) + sum(unresolved) + sum(rejected)).toBe(passed.size);
      const others = sum(rejected.filter(({ reason }) => reason === "another video type"));
      const received = variants.reduce((all, one) => all + one.rows, 0);
      expect([rows, passed.size]).toEqual([received + probed, received - duplicates]);
      expect(rows - (repeated ?? 0)).toBe(passed.size);
      if (chosen.maxRequests === undefined) expect(verdict).toBe("complete");
      expect(variants.reduce((all, { newRows }) => all + newRows, 0)).toBe(passed.size - others);
      expect(variants.reduce((all, { confirmed }) => all + confirmed, 0)).toBe(passed.size - sum(rejected));
      found += passed.size;
    }),
    { numRuns: LONG ? 500 : 30 },
  );
  expect(found).toBeGreaterThan(LONG ? 2000 : 50);
});

it("finds the same speeches in short pages, which are no reason to take a search for cut", async () => {
  const short = await startScriptedServer(async ({ url }) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (Number(searchParams.get("limit")) > 3) searchParams.set("limit", "3");
    const headers = { "x-api-key": archive.apiKey };
    const response = await fetch(`${archive.baseUrl}${pathname}?${searchParams}`, { headers });
    return { status: response.status, body: (await response.json()) as object };
  });
  await using whole = clientTo(archive, { apiKey: archive.apiKey, pageSize: 8 });
  await using client = clientTo(short, { pageSize: 8 });
  const popular = bills.filter(({ title }) => title !== "").sort((a, b) => b.speeches.length - a.speeches.length);
  for (const { title, number, congress } of popular.slice(0, LONG ? 40 : 8)) {
    const bill = { title, number, congress };
    const ids = async (from: typeof client) => (await from.speechesOnBill(bill)).getColumn("id").toArray().sort();
    expect(await ids(client), title).toEqual(await ids(whole));
  }
  await short.close();
});
