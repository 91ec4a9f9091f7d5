import { afterAll, beforeAll, expect, it } from "vitest";
import { agreement, codingPage, sampleRows } from "../../src/coding/index.js";
import type { ArchiveClient } from "../../src/index.js";
import { openArchive, saveFrame, toCsv, toDataFrame } from "../../src/index.js";
import { mentionsOverTime, notebookHtml } from "../../src/notebook.js";
import { collocations, compare, keyness, kwic, rates, reairings, terms } from "../../src/text/index.js";

let archive: ArchiveClient;
beforeAll(async () => {
  archive = await openArchive({ announce: false });
});
afterAll(() => archive.close());

it("the hint for options that are no object names only options that the function has", async () => {
  const frame = await archive.mentions("climate", { maxItems: 20 });
  const scan = archive.scan.mentions("climate");
  const calls: Readonly<Record<string, (options: never) => unknown>> = {
    agreement: (options) => agreement(frame, options),
    batches: (options) => scan.batches(options),
    codingPage: (options) => codingPage(frame, {} as never, options),
    collect: (options) => scan.collect(options),
    collocations: (options) => collocations(frame, options),
    compare: (options) => compare(frame, "climate", options),
    keyness: (options) => keyness(frame, frame, options),
    kwic: (options) => kwic(frame, "climate", options),
    mentions: (options) => archive.mentions("climate", options),
    mentionsOverTime: (options) => mentionsOverTime(frame, options),
    notebookHtml: (options) => notebookHtml({ cells: [] } as never, options),
    rates: (options) => rates(toDataFrame([]) as never, "climate", options),
    reairings: (options) => reairings(frame, options),
    sample: (options) => archive.sample("mentions", "climate", options),
    sampleRows: (options) => sampleRows(frame, options),
    saveFrame: (options) => saveFrame(frame, "rows.csv", options),
    sort: (options) => scan.sort("id", options),
    speechesOnBill: (options) => archive.speechesOnBill({ title: "Inflation Reduction Act" }, options),
    terms: (options) => terms(frame, options),
    toCsv: (options) => toCsv(frame, options),
    toDataFrame: (options) => toDataFrame([], options),
  };
  for (const [name, call] of Object.entries(calls)) {
    const messageOf = async (options: unknown) => {
      try {
        await call(options as never);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    const message = await messageOf("year");
    const named = /with options: (.*)\.$/.exec(message)?.[1]?.split(", ") ?? [/\{ (\w+):/.exec(message)?.[1]];
    expect([name, named.length > 0 && named.every((option) => /^\w+$/.test(String(option)))]).toEqual([name, true]);
    for (const option of named)
      expect(await messageOf({ [String(option)]: {} }), `${name} ${option}`).not.toMatch(/invalid option of .*: "/);
  }
});
