import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connect, queueError } from "../../src/fleet/connection.js";
import { startWorker } from "../../src/fleet/fleetWorker.js";
import { KEY_ID, keyId } from "../../src/fleet/keyId.js";
import { openFleet } from "../../src/fleet/openFleet.js";
import { jobId, jobUrl, pageOf } from "../../src/fleet/pageJob.js";
import { checkResult, parseFailedResult } from "../../src/fleet/pageResult.js";
import { queueAddress } from "../../src/fleet/queueAddress.js";
import { queueLibrary } from "../../src/fleet/queueLibrary.js";
import { isOfService, queueName } from "../../src/fleet/queueNames.js";
import { concurrencyOf, workerName } from "../../src/fleet/workerName.js";
import { Secret } from "../../src/service/http/secret.js";
import { requestText } from "../../src/service/operations/request.js";
import { runs } from "../scale.js";

const BASE = "https://archive.example/2.0";

describe("a job from Redis", () => {
  it("is a request below the base URL, or none", () => {
    const piece = fc.constantFrom(
      "/",
      "..",
      ".",
      "%2e",
      "%2F",
      "\\",
      "@",
      ":",
      "?",
      "#",
      "//",
      "evil.example",
      "a",
      " ",
      "\n",
      "é",
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
      fc.webUrl(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (get) => {
        const url = jobUrl({ get }, BASE);
        if (url === undefined) return;
        expect(url.origin).toBe("https://archive.example");
        expect(url.pathname.startsWith("/2.0/")).toBe(true);
        expect(decodeURIComponent(url.pathname).split("/")).not.toContain("..");
        expect(url.username + url.password + url.hash).toBe("");
      }),
      { numRuns: runs(200, 5000) },
    );
  });

  it("may be any request of ours", () => {
    const word = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 1e6 }), (query, id) => {
        for (const get of [requestText("/mentions", [["query", query]]), `/people/${id}`])
          expect(jobUrl({ get: get.replaceAll("+", "%20") }, BASE)?.href).toBe(BASE + get.replaceAll("+", "%20"));
      }),
      { numRuns: runs(100, 1000) },
    );
  });

  it.each([undefined, null, 7, "get", [], {}, { get: 7 }, { get: `/${"x".repeat(20_000)}` }, { get: "mentions" }])(
    "%j is refused",
    (data) => {
      expect(jobUrl(data, BASE)).toBeUndefined();
    },
  );

  it("is the page that a request asks for", () => {
    expect(pageOf("/2.0/bills?query=roads", BASE)).toBe("/bills?query=roads");
    expect(pageOf("/2.0/bills", "https://archive.example/2.0/")).toBe("/bills");
    expect(pageOf("/bills", "https://archive.example")).toBe("/bills");
    for (const path of ["/2.0", "/2.01/bills", "/bills"]) expect(pageOf(path, BASE)).toBeUndefined();
  });

  it("has an id that is no number and has no colon, which BullMQ refuses", () => {
    expect(jobId("/mentions?query=a")).toMatch(/^page-[\da-f]{32}$/);
    expect(jobId("/mentions?query=a")).not.toBe(jobId("/mentions?query=b"));
  });
});

describe("a result from Redis", () => {
  const body = { file: `bodies/ab/${"ab".repeat(32)}.json.gz`, sha256: "0".repeat(64), bytes: 10 };
  const good = { status: 200, headers: { "content-type": "application/json" }, body, starts: 1 };

  it("is read as it was written, without what no worker writes", () => {
    expect(checkResult(good)).toEqual(good);
    expect(checkResult({ ...good, redactions: 3 })).toEqual({ ...good, redactions: 3 });
    expect(checkResult({ ...good, evil: 1, headers: { ...good.headers, cookie: "x" } })).toEqual(good);
    const failure = { headers: {}, failure: { kind: "timeout", seconds: 30 }, starts: 2 };
    expect(parseFailedResult(JSON.stringify(failure))).toEqual(failure);
  });

  it.each([
    { ...good, status: 99 },
    { ...good, status: "200" },
    { ...good, starts: -1 },
    { ...good, body: { ...body, file: "../../etc/passwd" } },
    { ...good, body: { ...body, file: `bodies/ab/../${"ab".repeat(32)}.json.gz` } },
    { ...good, body: { ...body, sha256: "x" } },
    { ...good, body: { ...body, bytes: -1 } },
    { ...good, body: undefined },
    { ...good, redactions: 0 },
    { ...good, redactions: "3" },
    { headers: {}, failure: { kind: "constructor" }, starts: 1 },
    null,
    "{}",
  ])("%j is refused", (value) => {
    expect(checkResult(value)).toBeUndefined();
  });

  it("is refused if it is no JSON, or too long", () => {
    expect(parseFailedResult("{")).toBeUndefined();
    expect(parseFailedResult(`"${"x".repeat(30_000)}"`)).toBeUndefined();
  });
});

describe("the address of a queue", () => {
  it.each([
    [
      "redis://localhost",
      { host: "localhost", port: 6379, db: 0, isEncrypted: false, shown: "redis://localhost:6379" },
    ],
    [
      "rediss://ann:p%40ss@h.example:7000/2",
      { host: "h.example", port: 7000, db: 2, username: "ann", password: "p@ss", shown: "rediss://h.example:7000/2" },
    ],
    ["redis://[::1]:1", { host: "::1", port: 1 }],
  ])("%s is read", (url, expected) => {
    expect(queueAddress(url)).toMatchObject(expected);
  });

  it.each([
    "http://:hunter2@host",
    "redis://:hunter2@host/x",
    "redis://:hunter2@host?x=1",
    "hunter2@host",
    "redis://",
    "",
    7,
    undefined,
  ])("%s is refused, and its password is not shown", (url) => {
    expect(() => queueAddress(url)).toThrow(/^invalid queue: .*redis:\/\/localhost:6379/);
    expect(() => queueAddress(url)).not.toThrow(/hunter2/);
  });

  it("appears in errors without the password", async () => {
    const address = queueAddress("redis://:hunter2@127.0.0.1:1");
    const error = await connect(address, await queueLibrary()).catch((one) => one);
    expect(error).toMatchObject({ code: "QUEUE_FAILED" });
    expect(String(error)).toMatch(/redis:\/\/127\.0\.0\.1:1 failed: connection refused\. Start it with redis-server/);
    expect(queueError(address, new Error("OOM command not allowed")).message).toContain("Redis is full");
  });
});

describe("the id of a key", () => {
  it("is the same for the same key in the same queue only, and tells nothing", async () => {
    const [one, other] = [queueName("0123456789abcdef", BASE), queueName("fedcba9876543210", BASE)];
    const id = await keyId(new Secret("a-key-of-forty-characters-0123456789"), one);
    expect(id).toMatch(KEY_ID);
    expect(await keyId(new Secret("a-key-of-forty-characters-0123456789"), one)).toBe(id);
    expect(await keyId(new Secret("a-key-of-forty-characters-0123456789"), other)).not.toBe(id);
    expect(await keyId(new Secret("another-key"), one)).not.toBe(id);
  });
});

describe("the name of a worker", () => {
  it("says how many requests it sends in parallel", () => {
    for (const concurrency of [1, 4, 64, 1000])
      expect(concurrencyOf(`prefix:cGFnZXM=:w:${workerName(concurrency)}`)).toBe(concurrency);
    expect(workerName(4)).toMatch(/^4-[\w.-]+$/);
  });

  it("is taken with care: others may connect, and some servers list no names", () => {
    expect(concurrencyOf("x:w:99999-host")).toBe(1000);
    expect(concurrencyOf("x:w:-5-host")).toBe(4);
    expect(concurrencyOf("x:w:host")).toBe(4);
    expect(concurrencyOf(undefined)).toBe(1000);
  });
});

it("a queue belongs to one service", () => {
  const name = queueName("0123456789abcdef", BASE);
  expect(isOfService(name, BASE)).toBe(true);
  expect(isOfService(name, "https://other.example")).toBe(false);
  expect(isOfService("../../x", BASE)).toBe(false);
});

it("the library is named if it is missing", async () => {
  const missing = queueLibrary(() => Promise.reject(new Error("Cannot find package 'bullmq'")));
  await expect(missing).rejects.toMatchObject({ code: "QUEUE_MISSING", hint: "Run: npm install bullmq@6 ioredis@5" });
});

describe("the storage of a fleet", () => {
  it("is refused before a worker or a coordinator connects, and before anything is written to the corpus", async () => {
    const corpus = join(mkdtempSync(join(tmpdir(), "fleet-")), "corpus");
    const given = { queue: "redis://127.0.0.1:9", storage: "gs://bucket", baseUrl: "http://127.0.0.1:9" };
    await expect(startWorker({ ...given, apiKey: "k".repeat(40) })).rejects.toThrow(/invalid storage/);
    await expect(openFleet({ ...given, corpus })).rejects.toThrow(/invalid storage/);
    expect(existsSync(corpus)).toBe(false);
    const noQueue = openFleet({ ...given, corpus, storage: corpus });
    await expect(noQueue).rejects.toMatchObject({ code: "QUEUE_FAILED" });
    expect(existsSync(corpus)).toBe(false);
  });
});
