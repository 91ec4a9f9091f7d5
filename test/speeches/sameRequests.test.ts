import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArchiveClient, type Provenance, provenanceOf } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { replayOf } from "../responses/replayOf.js";
import { runs } from "../scale.js";
import { upTo } from "../scan/pagedServer.js";
import { speech, startSpeechServer } from "./speechServer.js";

const root = temporaryFolder();
const BILLS = ["Tax Act", "Budget Act"].map((title) => ({ title, videotypes: ["Speech"] }));

/** Two concurrent calls with different speeches of partly the same people. */
const bothOf = (archive: ArchiveClient) => Promise.all(BILLS.map((bill) => archive.speechesOnBill(bill)));

/** Turns of the event loop before each response, to vary the order of responses. */
const turns = fc.infiniteStream(fc.integer({ min: 0, max: 12 }));

/** Many people are in both lists, and each list has people who do not speak. */
function crowd(seed: number) {
  const title = (id: number) =>
    ["U.S. Senator", "U.S. Representative", "U.S. Senator, Former U.S. Representative", "Host"][
      ((id * 7919 + seed) >> 2) % 4
    ];
  const people = Object.fromEntries(upTo(500).map((id) => [`${id}`, { id, name: `P ${id}`, title: title(id) }]));
  const rows = upTo(900).map((id) => speech(id, (((id % 90) * 31 + seed) % 480) + 1));
  return { people, found: (query: string) => (query.includes("Tax") ? rows : rows.slice(0, 640)) };
}

/** Requests for people only: which pages of mentions are fetched ahead depends on timing. */
const requestsOf = (requests: ReadonlyArray<{ url: string }>) =>
  requests.flatMap(({ url }) => (url.includes("/people") ? [url] : [])).sort();

describe("the requests for speeches on a bill", () => {
  it("depend on arguments and responses but not on their order: replays equal the recording", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1000 }),
        turns,
        fc.array(turns, { minLength: 2, maxLength: 2 }),
        async (seed, then, nows) => {
          const dir = join(root, `recording-${++run}`);
          const late = (delays: Iterator<number>) => async () => {
            for (let left = delays.next().value; left > 0; left--) await setImmediate();
            return undefined;
          };
          await using server = await startSpeechServer({ ...crowd(seed), instead: late(then) });
          await using recording = clientTo(server, { snapshot: { dir, mode: "record" }, concurrency: 4 });
          const frames = await bothOf(recording);
          const requested = requestsOf(server.requests);
          expect(requested.some((url) => url.includes("/people?"))).toBe(true);
          for (const delays of nows) {
            await using again = await startSpeechServer({ ...crowd(seed), instead: late(delays) });
            await using live = clientTo(again, { concurrency: 4 });
            await bothOf(live);
            expect(requestsOf(again.requests)).toEqual(requested);
          }
          for (let replays = 0; replays < 3; replays++) {
            await using replay = replayOf(dir, { concurrency: 4 });
            const now = await bothOf(replay);
            for (const [at, frame] of frames.entries()) {
              expect(now[at]?.frameEqual(frame)).toBe(true);
              // A recording also counts pages that were fetched ahead and given up: no snapshot has them.
              const { requests, ...provenance } = provenanceOf(frame) as Provenance;
              expect(provenanceOf(now[at])).toMatchObject(provenance);
              expect(provenanceOf(now[at])?.requests).toBeLessThanOrEqual(requests);
            }
          }
        },
      ),
      { numRuns: runs(2, 16) },
    );
  });
});
