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

describe("sustained 429 responses", () => {
  it.each([
    ["a window of 50 per minute", { quota: 50, seconds: 60, dated: false }],
    ["a window of 7 per 10 s", { quota: 7, seconds: 10, dated: false }],
    ["a window announced as a date", { quota: 40, seconds: 60, dated: true }],
  ])("with %s, every call succeeds with few extra requests", async (_name, how) => {
    const { quota, seconds, dated } = how;
    const clock = new SharedClock();
    let ends = 0;
    let taken = 0;
    let refused = 0;
    await using server = await startScriptedServer((): ScriptedAnswer => {
      if (clock.time >= ends) [ends, taken] = [clock.time + seconds * 1000, 0];
      if (taken++ < quota) return { headers: { date: new Date(clock.time).toUTCString() }, body: "{}" };
      refused++;
      const wait = dated
        ? new Date(Math.ceil(ends / 1000) * 1000).toUTCString()
        : String(Math.ceil((ends - clock.time) / 1000));
      return { status: 429, headers: { "retry-after": wait, date: new Date(clock.time).toUTCString() } };
    });
    const concurrency = 4;
    const options = resolveOptions({ apiKey: KEY, baseUrl: server.baseUrl, concurrency }, {});
    const transport = new Transport(options, clock, () => 0);
    const responses = await Promise.all([...Array(CALLS).keys()].map((at) => transport.request(`/people/${at}`, [])));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    // At worst, all concurrent requests hit the end of each window once. A client that learns does better.
    const windows = Math.ceil(CALLS / quota) - 1;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(windows * concurrency);
    expect(server.requests.length).toBe(CALLS + refused);
    await transport.close();
  });

  it("with two concurrent requests, stays within 5 % of the minimum", async () => {
    const clock = new SharedClock();
    let ends = 0;
    let taken = 0;
    await using server = await startScriptedServer((): ScriptedAnswer => {
      if (clock.time >= ends) [ends, taken] = [clock.time + 60_000, 0];
      if (taken++ < 50) return { body: "{}" };
      return { status: 429, headers: { "retry-after": String(Math.ceil((ends - clock.time) / 1000)) } };
    });
    const options = resolveOptions({ apiKey: KEY, baseUrl: server.baseUrl, concurrency: 2 }, {});
    const transport = new Transport(options, clock, () => 0);
    await Promise.all([...Array(CALLS).keys()].map((at) => transport.request(`/people/${at}`, [])));
    expect(server.requests.length).toBeLessThanOrEqual(CALLS * 1.05);
    await transport.close();
  });

  it("without end, fails each call after its attempts, with few requests in total", async () => {
    const clock = new SharedClock();
    await using server = await startScriptedServer(() => ({ status: 429, headers: { "retry-after": "1000" } }));
    const options = resolveOptions({ apiKey: KEY, baseUrl: server.baseUrl, concurrency: 4 }, {});
    const transport = new Transport(options, clock, () => 0);
    const codes = [...Array(CALLS).keys()].map((at) =>
      transport.request(`/people/${at}`, []).catch((error) => error.code),
    );
    expect(new Set(await Promise.all(codes))).toEqual(new Set(["RATE_LIMITED"]));
    expect(server.requests.length).toBeLessThanOrEqual(4);
    await transport.close();
  });
});
