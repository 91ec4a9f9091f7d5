import { expect, it } from "vitest";
import type { ClientContext } from "../../src/call/clientContext.js";
import { AbortedError, APIError } from "../../src/index.js";
import type { ServiceResponse } from "../../src/service/http/requester.js";
import { CombinedRecorder } from "../../src/speeches/combinedRecorder.js";
import { People } from "../../src/speeches/people.js";
import { errorOf } from "../service/helpers.js";

/** A client whose look-ups are answered by hand. */
function byHand() {
  const asked: Array<{ path: string; answer: (body: object) => void; fail: (error: Error) => void }> = [];
  const core = {
    requester: {
      request: (path, _query, context) =>
        new Promise<ServiceResponse>((resolve, reject) => {
          const times = { sentAt: new Date(0), receivedAt: new Date(0) };
          const reply = { status: 200, headers: {}, requests: 1, retries: 0, ...times };
          context?.signal?.addEventListener("abort", () => reject(new AbortedError()));
          asked.push({
            path,
            answer: (body) => resolve({ ...reply, body: Buffer.from(JSON.stringify(body)) }),
            fail: reject,
          });
        }),
    },
    baseUrl: "http://127.0.0.1",
    source: "http://127.0.0.1",
    snapshot: null,
    output: { outputFormat: "dataframe", engine: "polars", pageSize: 100, progress: false },
    concurrency: 8,
    redact: (text) => text,
    remember: () => {},
  } satisfies ClientContext;
  const people = new People();
  const combined = new CombinedRecorder(core);
  return {
    asked,
    find: (id: string, signal = new AbortController().signal) => people.find(core, id, combined, signal),
  };
}

const ANN = { people: [{ id: 7, name: " Ann ", title: "U.S. Senator" }] };

it("asks once for everybody who waits, and never again", async () => {
  const { asked, find } = byHand();
  const both = [find("7"), find("7")];
  asked[0]?.answer(ANN);
  expect(await Promise.all([...both, find("7")])).toEqual(Array(3).fill({ name: "Ann", title: "U.S. Senator" }));
  expect(asked.map(({ path }) => path)).toEqual(["/people/7"]);
});

it("keeps that somebody is unknown, but no failure", async () => {
  const { asked, find } = byHand();
  const unknown = find("8");
  asked[0]?.answer({});
  expect([await unknown, await find("8")]).toEqual([undefined, undefined]);
  const details = { code: "SERVER_ERROR", hint: "", method: "GET", path: "/people/7" } as const;
  const failing = [find("7"), find("7")].map((one) => errorOf(one, APIError));
  asked[1]?.fail(new APIError("no.", details));
  await Promise.all(failing);
  const again = find("7");
  asked[2]?.answer(ANN);
  expect((await again)?.name).toBe("Ann");
  expect(asked).toHaveLength(3);
});

it("an abort stops whoever is aborted, and nobody else who waits for the same person", async () => {
  const { asked, find } = byHand();
  const [first, third] = [new AbortController(), new AbortController()];
  const asking = errorOf(find("7", first.signal), AbortedError);
  const waiting = find("7");
  const stopped = errorOf(find("7", third.signal), AbortedError);
  third.abort();
  await stopped;
  await errorOf(find("7", third.signal), AbortedError);
  expect(asked).toHaveLength(1);
  first.abort();
  await asking;
  await new Promise(setImmediate);
  asked[1]?.answer(ANN);
  expect((await waiting)?.name).toBe("Ann");
  expect(asked).toHaveLength(2);
});
