import { describe, expectTypeOf, it } from "vitest";
import {
  type AnyHarvest,
  ArchiveClient,
  ArchiveError,
  type BillRow,
  type Body,
  type DanfoFrame,
  type MentionRow,
  type PolarsFrame,
  toDataFrame,
} from "../../src/index.js";

declare const archive: ArchiveClient;
declare const records: ArchiveClient<"records", "danfo">;

describe("the result type follows from format, engine and maxItems", () => {
  it("is a polars frame by default", () => {
    expectTypeOf(archive.bills("x")).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.mentions("x", { limit: 5, maxItems: 9 })).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.people({ last: "x" })).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.person(1)).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.program("1", {})).resolves.toEqualTypeOf<PolarsFrame>();
  });

  it("is a danfo frame by the engine", () => {
    expectTypeOf(archive.bills("x", { engine: "danfo" })).resolves.toEqualTypeOf<DanfoFrame>();
    expectTypeOf(records.bills("x", { format: "dataframe" })).resolves.toEqualTypeOf<DanfoFrame>();
  });

  it("is the body as json, and the rows with maxItems", () => {
    expectTypeOf(archive.bills("x", { format: "json" })).resolves.toEqualTypeOf<Body>();
    expectTypeOf(archive.bills("x", { format: "json", maxItems: 5 })).resolves.toEqualTypeOf<BillRow[]>();
    expectTypeOf(archive.mentions("x", { format: "csv" })).resolves.toEqualTypeOf<string>();
    expectTypeOf(archive.mentions("x", { format: "records" })).resolves.toEqualTypeOf<MentionRow[]>();
    expectTypeOf(records.mentions("x")).resolves.toEqualTypeOf<MentionRow[]>();
    expectTypeOf(new ArchiveClient({ outputFormat: "csv" }).bills("x")).resolves.toEqualTypeOf<string>();
  });

  it("has rows with typed members", async () => {
    const [row] = await archive.mentions("x", { format: "records" });
    expectTypeOf(row?.personid).toEqualTypeOf<number | null | undefined>();
    expectTypeOf(row?.begintime).toEqualTypeOf<string | null | undefined>();
    expectTypeOf(row?.somethingElse).toEqualTypeOf<unknown>();
    for await (const mention of archive.iterRecords("mentions", { query: "x" }))
      expectTypeOf(mention).toEqualTypeOf<MentionRow>();
  });

  it("of toDataFrame follows from the engine", () => {
    expectTypeOf(toDataFrame([])).toEqualTypeOf<PolarsFrame>();
    expectTypeOf(toDataFrame([], { engine: "danfo" })).toEqualTypeOf<DanfoFrame>();
  });
});

it("what came before a failure is a harvest, in the engine that it names", () => {
  const { partial } = new ArchiveError("x");
  expectTypeOf(partial).toEqualTypeOf<AnyHarvest | undefined>();
  if (partial?.engine === "polars") expectTypeOf(partial.frame).toEqualTypeOf<PolarsFrame>();
  expectTypeOf(archive.lastHarvest()?.frame).toEqualTypeOf<PolarsFrame | undefined>();
  expectTypeOf(records.lastHarvest()?.frame).toEqualTypeOf<DanfoFrame | undefined>();
});

describe("wrong calls do not compile", () => {
  it("unknown options, formats and parameters", () => {
    // @ts-expect-error an option of another operation
    archive.bills("x", { limit: 5 });
    // @ts-expect-error another spelling
    archive.mentions("x", { videoType: "Speech" });
    // @ts-expect-error an unknown format
    archive.bills("x", { format: "xml" });
    // @ts-expect-error lookups have no pages
    archive.person(1, { maxItems: 5 });
    // @ts-expect-error a sort without a direction
    archive.programsSearch("x", { sort: "date" });
    // @ts-expect-error mentions need a query
    archive.iterRecords("mentions");
    // @ts-expect-error mentions need a query, whatever else is given
    archive.iterRecords("mentions", { maxItems: 5 });
    // @ts-expect-error mentions need a query
    archive.save("mentions", "x.csv");
    // @ts-expect-error under the specification's name as well
    archive.save("programs_search", "x.csv", {});
    archive.save("people", "x.csv");
    archive.save("person", "x.csv", { id: 1 });
    archive.iterRecords("people");
    archive.iterRecords(archive.bills, { query: "x" });
    // @ts-expect-error only Parquet is partitioned
    archive.save("bills", "out/", { query: "x", format: "csv", partitionBy: "congress" });
    archive.save("bills", "out/", { query: "x", format: "parquet", partitionBy: "congress" });
    archive.save("bills", "out/", { query: "x", partitionBy: "congress" });
    // @ts-expect-error a snapshot or a cache
    new ArchiveClient({ snapshot: { dir: "s/" }, cache: { maxAge: 60 } });
    new ArchiveClient({ cache: { maxAge: 60 } });
    // @ts-expect-error lookups are not walked
    archive.iterRecords("person", {});
  });
});
