import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { queryOf } from "../client/clientTo.js";
import { upTo } from "../scan/pagedServer.js";
import type { ScriptedAnswer, SeenRequest } from "../service/scriptedServer.js";
import { lookUps, pathOf, phraseOf, senator, speech, speechArchive } from "./speechServer.js";

const BILL = { title: "Tax Act", variants: ['"Tax Act"'], videotypes: ["Speech"] };

interface Crowd {
  /** Number of speakers; each has `speeches` speeches. */
  readonly speakers: number;
  readonly speeches: number;
  /** Senators in the archive who do not speak. */
  readonly others?: number;
  readonly instead?: (request: SeenRequest) => ScriptedAnswer | undefined;
}

const FIRST = 10_000;
const idsOf = (speakers: number) => upTo(speakers).map((at) => FIRST + at - 1);

/** Every second speaker is a senator. */
function startCrowd({ speakers, speeches, others = 0, instead }: Crowd, concurrency?: number) {
  const rows = upTo(speakers * speeches).map((id) => speech(id, FIRST + (id % speakers)));
  // The list is ordered by id, so those who do not speak come first.
  const people = Object.fromEntries([
    ...upTo(others).map((id) => [`${id}`, senator(id)]),
    ...idsOf(speakers).map((id) => [`${id}`, id % 2 === 0 ? senator(id) : { id, name: `P ${id}`, title: "Host" }]),
  ]);
  return speechArchive({ found: () => rows, people, ...(instead && { instead }), client: { concurrency } });
}

const lists = (requests: readonly SeenRequest[], query: string) =>
  requests.filter((request) => pathOf(request) === "/people" && queryOf(request).query === query).length;

describe("lists of people", () => {
  it("save lookups when many speakers are unknown; one of those who are not listed is looked up", async () => {
    const { server, archive } = await startCrowd({ speakers: 100, speeches: 6 }, 4);
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.height).toBe(300);
    expect(lists(server.requests, "Senator")).toBe(4);
    expect(lookUps(server)).toHaveLength(1);
    const { excluded = [], unresolved } = provenanceOf(frame)?.speeches ?? {};
    expect(unresolved).toEqual([]);
    expect(excluded).toHaveLength(50);
    expect(excluded.filter(({ reason }) => reason === "not among the people with the word Senator")).toHaveLength(49);
    expect(provenanceOf(frame)?.requests).toBe(server.requests.length);
    const before = server.requests.length;
    await archive.speechesOnBill(BILL);
    expect(server.requests.slice(before).filter((request) => pathOf(request) !== "/mentions")).toEqual([]);
  });

  it("answer for twenty speakers at once: a bill takes 16 requests at most", async () => {
    const spoken = ["H.R. 12", "HR 12", "House Bill 12", "H.R. twelve", "Tax Act"];
    const rows = upTo(40).map((id) => ({
      ...speech(id, FIRST + (id % 20), { text: `${spoken[Math.floor(Math.sqrt(id - 1)) % 5]}.`, videoTypeId: 16 }),
    }));
    const { server, archive } = await speechArchive({
      found: (query, type) =>
        type === "Debate"
          ? []
          : rows.filter((row) =>
              `${(row as { text?: unknown }).text}`.toLowerCase().startsWith(phraseOf(query).toLowerCase()),
            ),
      people: Object.fromEntries(upTo(40).map((at) => [`${FIRST + at - 1}`, senator(FIRST + at - 1)])),
      instead: (request) => {
        if (pathOf(request) !== "/people") return undefined;
        const people = upTo(40).map((at) => senator(FIRST + at - 1));
        return { body: queryOf(request).cursor === undefined ? { people, cursor: "c" } : { cursor: "c" } };
      },
    });
    const frame = await archive.speechesOnBill({ title: "Tax Act", number: "H.R. 12", congress: 117 });
    expect(frame.height).toBe(40);
    expect(lookUps(server)).toEqual([]);
    expect(server.requests.length).toBeLessThanOrEqual(16);
  });

  it("are not read for few speakers", async () => {
    const { server, archive } = await startCrowd({ speakers: 7, speeches: 20 });
    await archive.speechesOnBill(BILL);
    expect(server.requests.filter((request) => pathOf(request) === "/people")).toEqual([]);
    expect(lookUps(server)).toHaveLength(7);
  });

  it("that leave somebody out are no proof: everyone is looked up", async () => {
    const people = idsOf(10).map((id) => (id % 2 === 0 ? senator(id) : { id, title: "Host" }));
    const { server, archive } = await startCrowd({
      speakers: 100,
      speeches: 6,
      instead: (request) =>
        pathOf(request) !== "/people"
          ? undefined
          : { body: queryOf(request).cursor === undefined ? { people, cursor: "c" } : { cursor: "c" } },
    });
    expect((await archive.speechesOnBill({ ...BILL, chamber: "senate" })).height).toBe(300);
    expect(lookUps(server)).toHaveLength(90);
  });

  it("are abandoned after a page without a match", async () => {
    const { server, archive } = await startCrowd({ speakers: 100, speeches: 6, others: 1000 }, 4);
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.height).toBe(300);
    expect(lists(server.requests, "Senator")).toBe(1);
    expect(lookUps(server)).toHaveLength(100);
  });

  it.each([
    ["fail", { status: 404, body: {} }],
    ["are malformed", { body: { people: [{ id: 10_002 }, { title: 5, id: 10_004 }, { id: 10_006, title: "" }] } }],
  ] as Array<[string, ScriptedAnswer]>)("that %s lose no speaker", async (_what, answer) => {
    const { server, archive } = await startCrowd({
      speakers: 100,
      speeches: 6,
      instead: (request) => (pathOf(request) === "/people" ? answer : undefined),
    });
    const frame = await archive.speechesOnBill(BILL);
    expect(frame.height).toBe(300);
    expect(lookUps(server)).toHaveLength(100);
    expect(provenanceOf(frame)?.verdict).toBe("complete");
  });
});
