import { expect, it } from "vitest";
import type { ClientContext } from "../../src/call/clientContext.js";
import { CombinedRecorder } from "../../src/call/combinedRecorder.js";
import { RowLookup } from "../../src/call/rowLookup.js";
import { AbortedError, APIError } from "../../src/index.js";
import type { ServiceResponse } from "../../src/service/http/requester.js";
import { buildRequest } from "../../src/service/operations/request.js";
import { errorOf } from "../service/helpers.js";

/** A client whose lookups are answered by the test. */
function manualLookup() {
  const requests: Array<{ path: string; answer: (body: object) => void; fail: (error: Error) => void }> = [];
  const client = {
    requester: {
      request: (path, _query, context) =>
        new Promise<ServiceResponse>((resolve, reject) => {
          const times = { sentAt: new Date(0), receivedAt: new Date(0) };
          const response = { status: 200, headers: {}, requests: 1, retries: 0, ...times };
          context?.signal?.addEventListener("abort", () => reject(new AbortedError()));
          requests.push({
            path,
            answer: (body) => resolve({ ...response, body: Buffer.from(JSON.stringify(body)) }),
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
  const people = new RowLookup("person");
  const combined = new CombinedRecorder(client, buildRequest("mentions", { query: "bill" }));
  return {
    requests,
    find: (id: string, signal = new AbortController().signal) => people.find(client, id, combined, signal),
  };
}

const ANN = { people: [{ id: 7, name: " Ann ", title: "U.S. Senator" }] };

it("sends one request for all who wait, and no other later", async () => {
  const { requests, find } = manualLookup();
  const both = [find("7"), find("7")];
  requests[0]?.answer(ANN);
  expect(await Promise.all([...both, find("7")])).toEqual(Array(3).fill(ANN.people[0]));
  expect(requests.map(({ path }) => path)).toEqual(["/people/7"]);
});

it("remembers unknown people, but no failures", async () => {
  const { requests, find } = manualLookup();
  const unknown = find("8");
  requests[0]?.answer({});
  expect([await unknown, await find("8")]).toEqual([undefined, undefined]);
  const details = { code: "SERVER_ERROR", hint: "", method: "GET", path: "/people/7" } as const;
  const failing = [find("7"), find("7")].map((one) => errorOf(one, APIError));
  requests[1]?.fail(new APIError("no.", details));
  await Promise.all(failing);
  const again = find("7");
  requests[2]?.answer(ANN);
  expect((await again)?.name).toBe(" Ann ");
  expect(requests).toHaveLength(3);
});

it("an abort does not affect others who wait for the same person", async () => {
  const { requests, find } = manualLookup();
  const [first, third] = [new AbortController(), new AbortController()];
  const sending = errorOf(find("7", first.signal), AbortedError);
  const waiting = find("7");
  const stopped = errorOf(find("7", third.signal), AbortedError);
  third.abort();
  await stopped;
  await errorOf(find("7", third.signal), AbortedError);
  expect(requests).toHaveLength(1);
  first.abort();
  await sending;
  await new Promise(setImmediate);
  requests[1]?.answer(ANN);
  expect((await waiting)?.name).toBe(" Ann ");
  expect(requests).toHaveLength(2);
});
