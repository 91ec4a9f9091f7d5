import { describe, expectTypeOf, it } from "vitest";
import {
  type AnyFetchedResult,
  APIError,
  ArchiveClient,
  ArchiveError,
  type BillRow,
  type Body,
  type DanfoFrame,
  type ErrorCode,
  type Format,
  type FrameRow,
  type MentionRow,
  openArchive,
  type PolarsFrame,
  type RateLimitError,
  type SearchArguments,
  type SpeechesOnBill,
  toDataFrame,
  toRecords,
  type ValidationError,
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

describe("an option that may be undefined", () => {
  const isSet = Math.random() < 0.5;
  const format = "json" as Format | undefined;

  it("gives the default where it is undefined", () => {
    expectTypeOf(archive.bills("x", { format: undefined })).resolves.toEqualTypeOf<PolarsFrame>();
    const all = { format: undefined, engine: undefined, maxItems: undefined };
    expectTypeOf(archive.bills("x", all)).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(records.mentions("x", all)).resolves.toEqualTypeOf<MentionRow[]>();
    expectTypeOf(archive.bills("x", { format: "json", maxItems: undefined })).resolves.toEqualTypeOf<Body>();
    expectTypeOf(archive.scan.bills("x").collect({ engine: undefined })).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(records.scan.bills("x").collect({ engine: undefined })).resolves.toEqualTypeOf<DanfoFrame>();
    expectTypeOf(toDataFrame([], { engine: undefined })).toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.speechesOnBill({ title: "x", format: undefined })).resolves.toEqualTypeOf<PolarsFrame>();
  });

  it("gives a union where it may be either", () => {
    const engine = isSet ? ("danfo" as const) : undefined;
    const csv = isSet ? ("csv" as const) : undefined;
    expectTypeOf(archive.bills("x", { format: "json", maxItems: isSet ? 5 : undefined })).resolves.toEqualTypeOf<
      Body | BillRow[]
    >();
    expectTypeOf(archive.bills("x", { format: csv })).resolves.toEqualTypeOf<string | PolarsFrame>();
    expectTypeOf(archive.person(1, { format: csv })).resolves.toEqualTypeOf<string | PolarsFrame>();
    expectTypeOf(archive.people({ last: "x", format: csv })).resolves.toEqualTypeOf<string | PolarsFrame>();
    // @ts-expect-error one of two objects: give one with format: isSet ? "csv" : undefined
    archive.bills("x", isSet ? { format: "csv" } : {});
    expectTypeOf(records.bills("x", { format: csv })).resolves.toEqualTypeOf<string | BillRow[]>();
    expectTypeOf(archive.bills("x", { format })).resolves.toEqualTypeOf<PolarsFrame | Body | BillRow[] | string>();
    expectTypeOf(archive.bills("x", { engine })).resolves.toEqualTypeOf<PolarsFrame | DanfoFrame>();
    expectTypeOf(archive.scan.bills("x").collect({ engine })).resolves.toEqualTypeOf<PolarsFrame | DanfoFrame>();
    expectTypeOf(toDataFrame([], { engine })).toEqualTypeOf<PolarsFrame | DanfoFrame>();
    expectTypeOf(archive.speechesOnBill({ title: "x" }, { format: csv })).resolves.toEqualTypeOf<
      string | PolarsFrame
    >();
    const options: SearchArguments<"bills"> = {};
    expectTypeOf(archive.bills("x", options)).resolves.toEqualTypeOf<
      PolarsFrame | DanfoFrame | Body | BillRow[] | string
    >();
    const either = new ArchiveClient({ outputFormat: isSet ? "csv" : "dataframe" });
    expectTypeOf(either.bills("x")).resolves.toEqualTypeOf<string | PolarsFrame>();
    // @ts-expect-error a client names what may be its default
    new ArchiveClient({ outputFormat: csv });
    // @ts-expect-error a client names what may be its default
    new ArchiveClient({ engine });
    // @ts-expect-error a client names what may be its default
    void openArchive({ outputFormat: csv });
  });
});

describe("the rows of a frame", () => {
  const frame = {} as PolarsFrame;

  it("have the types that are named", () => {
    expectTypeOf(toRecords(frame)).toEqualTypeOf<Record<string, unknown>[]>();
    expectTypeOf(toRecords<FrameRow<"bills">>(frame)).toEqualTypeOf<
      {
        id: number | null;
        congress: number | null;
        billnumber: string | null;
        billtitle: string | null;
        link: string | null;
      }[]
    >();
    const mentions = frame.toRecords() as FrameRow<"mentions">[];
    expectTypeOf(mentions[0]?.begintime).toEqualTypeOf<Date | null | undefined>();
    expectTypeOf<FrameRow<"mentions">["id"]>().toEqualTypeOf<string | null>();
    expectTypeOf<FrameRow<"program">["date"]>().toEqualTypeOf<Date | null>();
    expectTypeOf<FrameRow<"program">["videoDuration"]>().toEqualTypeOf<number | null>();
    // @ts-expect-error not a column
    toRecords<FrameRow<"people">>(frame)[0]?.begintime;
  });
});

describe("a bill", () => {
  const row = {} as BillRow;

  it("gives what format and engine say, wherever they are", () => {
    expectTypeOf(archive.speechesOnBill({ title: "x" })).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.speechesOnBill({ number: 5, title: "x" })).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.speechesOnBill({ variants: ["x"], format: "csv" })).resolves.toEqualTypeOf<string>();
    expectTypeOf(archive.speechesOnBill({ title: "x", congress: 117 })).resolves.toEqualTypeOf<PolarsFrame>();
    // @ts-expect-error another spelling
    archive.speechesOnBill({ titel: "x" });
    // @ts-expect-error an option of mentions only
    archive.speechesOnBill({ title: "x", limit: 5 });
    const json = { format: "json" } as const;
    expectTypeOf(archive.speechesOnBill({ title: "x" }, json)).resolves.toEqualTypeOf<SpeechesOnBill>();
    expectTypeOf(archive.speechesOnBill({ title: "x", ...json })).resolves.toEqualTypeOf<SpeechesOnBill>();
    expectTypeOf(archive.speechesOnBill(row, json)).resolves.toEqualTypeOf<SpeechesOnBill>();
    expectTypeOf(archive.speechesOnBill([{ title: "x" }], json)).resolves.toEqualTypeOf<SpeechesOnBill[]>();
  });

  it("is a row of bills, whose members may be missing", () => {
    expectTypeOf(archive.speechesOnBill(row)).resolves.toEqualTypeOf<PolarsFrame>();
    expectTypeOf(archive.speechesOnBill(row, { format: "csv" })).resolves.toEqualTypeOf<string>();
    expectTypeOf(archive.speechesOnBill([row, { title: "x" }])).resolves.toEqualTypeOf<PolarsFrame>();
    const written = { billtitle: "x", billnumber: "H.R. 1", congress: 117 };
    expectTypeOf(archive.speechesOnBill(written)).resolves.toEqualTypeOf<PolarsFrame>();
    archive.speechesOnBill({} as { billtitle?: string | null });
    expectTypeOf(archive.explainSpeechesOnBill(row)).toEqualTypeOf<string>();
  });
});

it("what came before a failure is a result, in the engine that it names", () => {
  const { partial } = new ArchiveError("x");
  expectTypeOf(partial).toEqualTypeOf<AnyFetchedResult | undefined>();
  if (partial?.engine === "polars") expectTypeOf(partial.frame).toEqualTypeOf<PolarsFrame>();
  expectTypeOf(archive.lastResult()?.frame).toEqualTypeOf<PolarsFrame | undefined>();
  expectTypeOf(records.lastResult()?.frame).toEqualTypeOf<DanfoFrame | undefined>();
});

it("each error class has codes of its own", () => {
  expectTypeOf<ArchiveError["code"]>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<ValidationError["code"]>().toEqualTypeOf<"INVALID_INPUT">();
  expectTypeOf<RateLimitError["code"]>().toEqualTypeOf<"RATE_LIMITED">();
  expectTypeOf<APIError["code"]>().toExtend<ErrorCode>();
  expectTypeOf<"DISK_FULL">().not.toExtend<APIError["code"]>();
  // @ts-expect-error a code of files
  new APIError("x.", { code: "DISK_FULL" });
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
    archive.iterRecords("programs_search", { query: "x" });
    // @ts-expect-error a snapshot or a cache
    new ArchiveClient({ snapshot: { dir: "s/" }, cache: { maxAge: 60 } });
    new ArchiveClient({ cache: { maxAge: 60 } });
    // @ts-expect-error it is called batchSize
    archive.scan.bills("x").batches({ rows: 10 });
    // @ts-expect-error options without the keys
    archive.scan.bills("x").sort({ descending: true });
    // @ts-expect-error an unknown option of sort
    archive.scan.bills("x").sort("id", { decending: true });
    archive.scan.bills("x").sort(["id", "congress"], { descending: true, nullsLast: true });
    // @ts-expect-error lookups have no pages
    archive.iterRecords("person", {});
  });
});
