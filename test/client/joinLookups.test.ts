import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  APIError,
  type ArchiveClient,
  methodsOf,
  openArchive,
  type PolarsFrame,
  type ProgressEvent,
  type Provenance,
  pl,
  provenanceOf,
  toRecords,
  ValidationError,
} from "../../src/index.js";
import { caption } from "../notebook/bundles.js";
import { recordedAndReplayed } from "../responses/recording.js";
import { abortOf, errorOf } from "../service/helpers.js";
import { type ScriptedAnswer, type SeenRequest, startScriptedServer } from "../service/scriptedServer.js";
import { lookUps, pathOf } from "../speeches/speechServer.js";
import { mention, served } from "./clientTo.js";

/** People with odd ids exist, people with even ids do not; programs below 100 exist. */
function startLookups(instead?: (request: SeenRequest) => ScriptedAnswer | undefined) {
  return startScriptedServer((request) => {
    const path = pathOf(request);
    const answer = instead?.(request);
    if (answer !== undefined) return answer;
    if (path === "/mentions") return { body: { mentions: [1, 2, 3, 4].map((id) => mention(id, { personid: id })) } };
    const id = Number(path.slice(path.lastIndexOf("/") + 1));
    if (path.startsWith("/people/")) return { body: id % 2 === 1 ? { people: [personRow(id)] } : {} };
    if (id >= 100) return { status: 404, body: { message: "no such program" } };
    return { body: { id, title: `Program ${id}`, date: "2024-04-27T02:35:35Z", videoDuration: 60 + id } };
  });
}

function personRow(id: number): object {
  return { id, name: `Person ${id}`, title: "U.S. Senator", ...(id === 3 && { born: 1950 }) };
}

const frameOf = (ids: readonly (number | null)[]): PolarsFrame =>
  pl.DataFrame([
    pl.Series("row", [...ids.keys()], pl.Float64),
    pl.Series("personid", [...ids], pl.Float64).cast(pl.Int64),
  ]);

const namesOf = (frame: PolarsFrame) => toRecords(frame).map(({ person_name }) => person_name);

describe("archive.withPeople", () => {
  it("adds people to a copy, asks for each id once, and announces its cost before the first request", async () => {
    const events: ProgressEvent[] = [];
    const { server, archive } = await served(startLookups(), { progress: (event) => void events.push(event) });
    const frame = frameOf([5, 3, null, 5, 2, 999999, 3]);
    const before = toRecords(frame);
    const joined = await archive.withPeople(frame);
    expect(toRecords(frame)).toEqual(before);
    expect(joined.columns.slice(0, 4)).toEqual(["row", "personid", "person_name", "person_firstName"]);
    expect(joined.columns.at(-1)).toBe("person_born");
    expect(toRecords(joined).map(({ person_born }) => person_born)).toEqual([null, 1950, null, null, null, null, 1950]);
    expect(lookUps(server).sort()).toEqual(["2", "3", "5"]);
    const [report] = provenanceOf(joined)?.lookups ?? [];
    expect(report).toMatchObject({ operation: "person", on: "personid", ids: 3, found: 2 });
    expect(report).toMatchObject({ unresolved: ["2"], skipped: [] });
    expect(events[0]).toMatchObject({ operation: "withPeople", query: "3 ids", maxItems: 3, requests: 0, rows: 0 });
    expect(events.at(-1)).toMatchObject({ requests: 3, verdict: "complete" });
  });

  it("keeps and extends the provenance of a search, and shares people with speechesOnBill", async () => {
    const { server, archive } = await served(startLookups());
    const frame = await archive.mentions("climate");
    const once = await archive.withPeople(frame, { columns: ["title", "name"] });
    expect(once.columns.slice(-2)).toEqual(["person_title", "person_name"]);
    const both = await archive.withPrograms(once, { columns: ["title"] });
    const { lookups, sources, steps, ...rest } = provenanceOf(both) ?? {};
    expect(rest).toEqual(provenanceOf(frame));
    expect(sources).toEqual([provenanceOf(frame)]);
    expect(steps?.map(({ verb }) => verb)).toEqual(["withPeople", "withPrograms"]);
    expect(lookups).toMatchObject([
      { operation: "person", ids: 4, found: 2, requests: 4, verdict: "complete", reason: null },
      { operation: "program", on: "programid", ids: 1, found: 0, unresolved: ["535139"], requests: 1 },
    ]);
    expect(caption(provenanceOf(both) as Provenance)).toMatch(/ · 2 of 4 people found · 0 of 1 program found$/);
    await archive.speechesOnBill({ title: "Climate Act" });
    expect(lookUps(server).sort()).toEqual(["1", "2", "3", "4"]);
  });

  it("joins other columns, and a second time with another prefix; refuses a column that the frame has", async () => {
    const { server, archive } = await served(startLookups());
    const frame = pl.DataFrame({ by: ["7", ""], at: [3, 1], person_born: [0, 0] });
    const joined = await archive.withPeople(frame, { on: "by", columns: ["name"] });
    expect(toRecords(joined).map(({ person_name }) => person_name)).toEqual(["Person 7", null]);
    const refused = await errorOf(archive.withPeople(joined, { on: "at", columns: ["name"] }), ValidationError);
    expect(refused.message).toMatch(/already has "person_name".*prefix/s);
    expect(lookUps(server)).toEqual(["7"]);
    // Only the service knows of this one.
    const late = await errorOf(archive.withPeople(frame, { on: "at" }), ValidationError);
    expect(late.message).toMatch(/already has "person_born".*prefix/s);
    const again = await archive.withPeople(joined, { on: "at", columns: ["name"], prefix: "second_" });
    expect(toRecords(again).map(({ second_name }) => second_name)).toEqual(["Person 3", "Person 1"]);
    expect(provenanceOf(again)?.lookups).toHaveLength(2);
    expect(lookUps(server)).toHaveLength(3);
  });

  it("looks programs up with their types; one of 404 is unresolved, and no number of a type becomes a name", async () => {
    const { server, archive } = await served(startLookups());
    const frame = pl.DataFrame({ programid: ["12", "100", "556839-1"], videoTypeId: [16, 18, 18] });
    const joined = await archive.withPrograms(frame, { columns: ["date", "videoDuration"] });
    expect(toRecords(joined)).toEqual([
      { programid: "12", videoTypeId: 16, program_date: new Date("2024-04-27T02:35:35Z"), program_videoDuration: 72 },
      { programid: "100", videoTypeId: 18, program_date: null, program_videoDuration: null },
      { programid: "556839-1", videoTypeId: 18, program_date: null, program_videoDuration: null },
    ]);
    expect(provenanceOf(joined)?.lookups?.[0]).toMatchObject({ ids: 3, found: 1, unresolved: ["100", "556839-1"] });
    await archive.withPrograms(frame);
    expect(server.requests).toHaveLength(2);
  });

  it("stops at maxRequests, lists what it left out, and continues in the next call", async () => {
    const { server, archive } = await served(startLookups());
    const frame = frameOf([1, 3, 5, 7]);
    const joined = await archive.withPeople(frame, { maxRequests: 2 });
    expect(namesOf(joined)).toEqual(["Person 1", "Person 3", null, null]);
    expect(provenanceOf(joined)?.lookups).toMatchObject([
      { verdict: "capped", reason: "maxRequests", found: 2, unresolved: [], skipped: ["5", "7"], requests: 2 },
    ]);
    const rest = await archive.withPeople(frame, { maxRequests: 2 });
    expect(provenanceOf(rest)?.lookups).toMatchObject([{ verdict: "complete", found: 4, skipped: [], requests: 2 }]);
    const methods = methodsOf(await archive.withPeople(await archive.mentions("x"), { maxRequests: 0 }));
    expect(methods).toContain("2 of 4 ids found, 2 not looked up");
    expect(namesOf(await archive.withPeople(frameOf([9]), { maxRequests: 0 }))).toEqual([null]);
    expect(lookUps(server)).toEqual(["1", "3", "5", "7"]);
  });

  it("keeps what a failed call has found, in the error and in the client", async () => {
    let isDown = true;
    const { server, archive } = await served(
      startLookups((request) => (isDown && pathOf(request) === "/people/5" ? { status: 400, body: {} } : undefined)),
      { concurrency: 1 },
    );
    const frame = frameOf([1, 3, 5, 7]);
    const { partial } = await errorOf(archive.withPeople(frame, { columns: ["name"] }), APIError);
    expect(partial).toMatchObject({ operation: "withPeople", rows: 2 });
    expect(archive.lastResult()).toBe(partial);
    expect(namesOf(partial?.frame as PolarsFrame)).toEqual(["Person 1", "Person 3", null, null]);
    expect(provenanceOf(partial?.frame)?.lookups).toMatchObject([{ verdict: "stopped", skipped: ["5", "7"] }]);
    isDown = false;
    await archive.withPeople(frame);
    expect(lookUps(server)).toEqual(["1", "3", "5", "5", "7"]);
  });

  it("is not disturbed by calls at the same time that are aborted or have no requests left", async () => {
    const { server, archive } = await served(startLookups());
    const controller = new AbortController();
    const frame = frameOf([1, 3]);
    const aborted = abortOf(archive.withPeople(frame, { signal: controller.signal }));
    const capped = archive.withPeople(frame, { maxRequests: 0 });
    const joined = archive.withPeople(frame);
    controller.abort();
    await Promise.all([aborted, capped]);
    expect(namesOf(await joined)).toEqual(["Person 1", "Person 3"]);
    expect(lookUps(server).filter((id) => id === "1").length).toBeLessThanOrEqual(2);
  });

  it.each([
    [frameOf([1]), { on: "personId" }, /"personId"\. Did you mean "personid"\?/],
    [pl.DataFrame({ a: [1] }), {}, /The columns are "a"/],
    [pl.DataFrame({ personid: ["Ann", "Bob"] }), {}, /contains "Ann", "Bob" instead of ids/],
    [frameOf([1]), { columns: ["Name"] }, /Did you mean "name"/],
    [frameOf([1]), { maxRequest: 1 }, /Did you mean maxRequests/],
    [frameOf([1]), { maxRequests: -1 }, /whole number/],
    [frameOf([1]), { prefix: 1 }, /prefix/],
    [[{ personid: 1 }], {}, /mentions\("climate", \{ format: "dataframe" \}\)\)\.$/],
    [{ personid: 1 }, {}, /Give a polars frame, for example withPeople\(await archive\.mentions\("climate"\)\)\.$/],
  ])("refuses %# before any request", async (frame, options, message) => {
    const { server, archive } = await served(startLookups());
    const error = await errorOf(archive.withPeople(frame as PolarsFrame, options as object), ValidationError);
    expect(error.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it("equals a plain loop over the rows, whatever the ids, and sends each id once in calls at the same time", async () => {
    const { server, archive } = await served(startLookups());
    const id = fc.option(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(999999)));
    const nameOf = (one: number | null) => (one !== null && one % 2 === 1 && one < 13 ? `Person ${one}` : null);
    const join = async (ids: readonly (number | null)[]) => {
      const joined = await archive.withPeople(frameOf(ids), { columns: ["name"] });
      expect(namesOf(joined)).toEqual(ids.map(nameOf));
      expect(toRecords(joined).map(({ personid }) => personid)).toEqual(ids);
      const { ids: distinct, found = 0, unresolved = [] } = provenanceOf(joined)?.lookups?.[0] ?? {};
      expect(found + unresolved.length).toBe(distinct);
    };
    const calls = fc.array(fc.array(id, { maxLength: 30 }), { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(calls, async (lists) => void (await Promise.all(lists.map(join))));
    await fc.assert(property, { numRuns: 40 });
    expect(lookUps(server)).toHaveLength(new Set(lookUps(server)).size);
  });

  it("is replayed from a snapshot, and agrees with the embedded archive", async () => {
    const run = async (archive: ArchiveClient) => {
      const frame = await archive.mentions("climate", { maxItems: 40 });
      const [people, programs] = await Promise.all([archive.withPeople(frame), archive.withPrograms(frame)]);
      return [people, programs].map((each) => [toRecords(each), provenanceOf(each)?.lookups]);
    };
    const recorded = await recordedAndReplayed(run);
    await using archive = await openArchive({ announce: false });
    const joined = recorded[0]?.[0] as Record<string, unknown>[];
    const [first] = joined.filter(({ person_name }) => person_name !== null);
    const [person] = toRecords(await archive.person(first?.personid as number));
    expect(first).toMatchObject({ person_name: person?.name, person_title: person?.title });
  });
});
