import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ArchiveClient, provenanceOf } from "../../src/index.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { stepUntilSettled } from "../service/clocks.js";
import { KEY } from "../service/key.js";
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from "../service/scriptedServer.js";
import { startThrottle } from "../service/throttles/throttle.js";
import { speech, startSpeechServer } from "../speeches/speechServer.js";

// Fake timers stand still while real HTTP over loopback continues.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** Requests that undici has begun and not ended. */
let onWire = 0;
const began = () => void onWire++;
const ended = () => void onWire--;
subscribe("undici:request:create", began);
for (const end of ["undici:request:trailers", "undici:request:error"]) subscribe(end, ended);
afterAll(() => {
  unsubscribe("undici:request:create", began);
  for (const end of ["undici:request:trailers", "undici:request:error"]) unsubscribe(end, ended);
});

/** Advances the clock while no request is on the wire: a busy machine answers late, and that must not look like a slow service. */
const fastForward = <T>(promise: Promise<T>) =>
  stepUntilSettled(promise, () => void (onWire === 0 && vi.advanceTimersByTime(2)));

/** A throttle of two requests a second, with bursts of five. */
function throttle(): { readonly refused: () => number; readonly answer: () => ScriptedAnswer | undefined } {
  const bucket = startThrottle({ kind: "token bucket", perSecond: 2, burst: 5 });
  let refused = 0;
  return {
    refused: () => refused,
    answer: () => {
      if (bucket.take(performance.now()) === undefined) return undefined;
      refused++;
      return { status: 429, headers: { "retry-after": "1" } };
    },
  };
}

const clientFor = ({ baseUrl }: ScriptedServer, pageSize?: number) =>
  new ArchiveClient({ apiKey: KEY, baseUrl, pageSize, progress: false });

describe("with default options, behind a throttle of two requests a second", () => {
  it("40 parallel lookups succeed", async () => {
    const { answer, refused } = throttle();
    await using server = await startScriptedServer(
      ({ url }) => answer() ?? { body: { people: [{ id: Number(url.split("/").at(-1)) }] } },
    );
    const archive = clientFor(server);
    const ids = Array.from({ length: 40 }, (_, id) => id + 1);
    const frames = await fastForward(Promise.all(ids.map((id) => archive.person(id))));
    expect(frames.map((frame) => frame.getColumn("id").get(0))).toEqual(ids);
    expect(server.requests).toHaveLength(40 + refused());
    await archive.close();
  });

  it("1,300 mentions in pages of 20 are complete", async () => {
    const { answer, refused } = throttle();
    await using server = await startPagedServer({ rows: 1300, instead: answer });
    const archive = clientFor(server, 20);
    const frame = await fastForward(archive.mentions("climate", { maxItems: 1300 }));
    expect(frame.height).toBe(1300);
    expect(provenanceOf(frame)?.requests).toBe(server.requests.length);
    expect(refused()).toBeGreaterThan(0);
    await archive.close();
  });

  it("the speeches on a bill are complete, and progress shows the rate", async () => {
    const { answer, refused } = throttle();
    const speeches = Array.from({ length: 2500 }, (_, id) => speech(id + 1, (id % 30) + 1, { title: undefined }));
    const people = Object.fromEntries(
      Array.from({ length: 30 }, (_, id) => [id + 1, { id: id + 1, name: `Person ${id}`, title: "U.S. Senator" }]),
    );
    await using server = await startSpeechServer({
      found: (query, videotype) => (query.includes("Act") && videotype === "Speech" ? speeches : []),
      people,
      instead: answer,
    });
    const paces: Array<number | undefined> = [];
    const { baseUrl } = server;
    const archive = new ArchiveClient({ apiKey: KEY, baseUrl, progress: ({ pace }) => paces.push(pace) });
    const bill = { title: "Some Act", number: "H.R. 5376", congress: 117, minConfidence: 0 };
    const frame = await fastForward(archive.speechesOnBill(bill));
    expect(frame.height).toBe(2500);
    expect(refused()).toBeGreaterThan(0);
    // The client remembers the learned rate.
    const before = refused();
    await fastForward(archive.mentions("Some Act", { videotype: "Speech", maxItems: 2500, limit: 250 }));
    expect(refused() - before).toBeLessThanOrEqual(1);
    expect(paces.at(-1)).toBeGreaterThan(1);
    expect(paces.at(-1)).toBeLessThan(4);
    await archive.close();
  });

  it("a service that keeps refusing fails every call after a few requests", async () => {
    await using server = await startScriptedServer(() => ({ status: 429, headers: { "retry-after": "1" } }));
    const archive = clientFor(server);
    const ids = Array.from({ length: 40 }, (_, id) => id + 1);
    const codes = await fastForward(Promise.all(ids.map((id) => archive.person(id).catch(({ code }) => code))));
    expect(new Set(codes)).toEqual(new Set(["RATE_LIMITED"]));
    expect(server.requests.length).toBeLessThanOrEqual(40);
    await archive.close();
  });
});
