import { describe, expect, it } from "vitest";
import { resolveOptions } from "../../src/service/http/options.js";
import { Transport } from "../../src/service/http/transport.js";
import { LONG } from "../scale.js";
import { JumpingClock } from "../service/clocks.js";
import { KEY } from "../service/helpers.js";
import { type ScriptedAnswer, startScriptedServer } from "../service/scriptedServer.js";

/** A clock that stands still while requests are served, and jumps to the end of the shortest wait once all requests wait. */
class SharedClock extends JumpingClock {
  readonly #waiting = new Set<{ readonly until: number; readonly wake: () => void }>();
  #due = false;

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms / 1000);
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal?.reason);
      signal?.addEventListener("abort", stop, { once: true });
      const wake = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      this.#waiting.add({ until: this.time + ms, wake });
      if (!this.#due) setTimeout(() => this.#jump(), 5);
      this.#due = true;
    });
  }

  #jump(): void {
    this.#due = false;
    const next = Math.min(...[...this.#waiting].map(({ until }) => until));
    this.time = Math.max(this.time, next);
    for (const sleeper of [...this.#waiting]) {
      if (sleeper.until > this.time) continue;
      this.#waiting.delete(sleeper);
      sleeper.wake();
    }
    if (this.#waiting.size > 0 && !this.#due) {
      this.#due = true;
      setTimeout(() => this.#jump(), 5);
    }
  }
}

const CALLS = LONG ? 3000 : 400;

/** Sends all calls to a service with so many requests per window; returns how many it refused, and what it received. */
async function storm({ quota = 50, seconds = 60, dated = false, concurrency = 4, isEndless = false }) {
  const clock = new SharedClock();
  let [ends, taken, refused] = [0, 0, 0];
  await using server = await startScriptedServer((): ScriptedAnswer => {
    if (clock.time >= ends) [ends, taken] = [clock.time + seconds * 1000, 0];
    const date = new Date(clock.time).toUTCString();
    if (!isEndless && taken++ < quota) return { headers: { date }, body: "{}" };
    refused++;
    const wait = dated
      ? new Date(Math.ceil(ends / 1000) * 1000).toUTCString()
      : String(Math.ceil((ends - clock.time) / 1000));
    return { status: 429, headers: { "retry-after": wait, date } };
  });
  const transport = new Transport(
    resolveOptions({ apiKey: KEY, baseUrl: server.baseUrl, concurrency }, {}),
    clock,
    () => 0,
  );
  const calls = [...Array(CALLS).keys()].map((at) => transport.request(`/people/${at}`, []));
  const outcomes = new Set(
    await Promise.all(
      calls.map((call) =>
        call.then(
          ({ status }) => status,
          ({ code }) => code,
        ),
      ),
    ),
  );
  await transport.close();
  return { outcomes: [...outcomes], refused, requests: server.requests.length };
}

describe("sustained 429 responses", () => {
  it.each([
    ["a window of 50 per minute", { quota: 50, seconds: 60 }],
    ["a window of 7 per 10 s", { quota: 7, seconds: 10 }],
    ["a window announced as a date", { quota: 40, seconds: 60, dated: true }],
  ])("with %s, every call succeeds with few extra requests", async (_name, how) => {
    const { outcomes, refused, requests } = await storm(how);
    expect([outcomes, requests]).toEqual([[200], CALLS + refused]);
    // At worst, all concurrent requests hit the end of each window once. A client that learns does better.
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual((Math.ceil(CALLS / how.quota) - 1) * 4);
  });

  it("with two concurrent requests, stays within 5 % of the minimum", async () => {
    expect((await storm({ concurrency: 2 })).requests).toBeLessThanOrEqual(CALLS * 1.05);
  });

  it("without end, fails each call after its attempts, with few requests in total", async () => {
    const { outcomes, requests } = await storm({ seconds: 1000, isEndless: true });
    expect(outcomes).toEqual(["RATE_LIMITED"]);
    expect(requests).toBeLessThanOrEqual(4);
  });
});
