import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { keyId } from "../../src/fleet/connection.js";
import { fleetStatus, openFleet, startWorker } from "../../src/fleet/index.js";
import { ArchiveError } from "../../src/index.js";
import { resolveOptions } from "../../src/service/http/options.js";
import { callCommand } from "../cli/callCommand.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf, KEY } from "../service/helpers.js";
import { folder } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";

const root = temporaryFolder();
const PASSWORD = "s3cr3t-p@ss/wörd";

/** Everything that a log may show of an error, its causes included. */
function shown(error: unknown): string {
  const deep = inspect(error, { depth: 20, showHidden: true });
  return [deep, String(error), JSON.stringify(error), (error as Error).stack].join("\n");
}

const options = () => ({ apiKey: KEY, corpus: folder("corpus"), storage: folder("storage") });
const failureOf = (promise: Promise<unknown>) => errorOf(promise, ArchiveError);

it("the id of a key depends on the key and the service alone", () => {
  const id = (apiKey: string, baseUrl = "https://one.example/") => keyId(resolveOptions({ apiKey, baseUrl }));
  expect(id(KEY)).toMatch(/^[\da-f]{4}$/);
  expect(id(KEY)).toBe(id(KEY));
  expect(new Set([id(KEY), id(`${KEY}2`), id(KEY, "https://two.example/")]).size).toBe(3);
});

describe("no error of a fleet shows", () => {
  it.each([
    [`redis//:${PASSWORD}@host:6379`],
    [`postgres://:${encodeURIComponent(PASSWORD)}@host:6379`],
    [`redis://:${encodeURIComponent(PASSWORD)}@host:6379/notanumber`],
    [`redis://:${PASSWORD}@host:6379`],
  ])("an address that is refused: %#", async (queue) => {
    const error = await failureOf(openFleet({ ...options(), queue }));
    expect(error).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("ARCHIVE_QUEUE") });
    for (const part of ["s3cr3t", "rd@host:6379/n", "notanumber", "postgres"]) expect(shown(error)).not.toContain(part);
  });

  it.skipIf(!HAS_REDIS)("the password of a queue that refuses it, or is not there", async () => {
    await using server = await startRedis();
    const wrong = server.url.replace(/:[^:@]+@/, `:${encodeURIComponent(PASSWORD)}@`);
    const nowhere = wrong.replace(/:\d+$/, ":1");
    for (const queue of [wrong, nowhere]) {
      const errors = [
        await failureOf(openFleet({ ...options(), queue })),
        await failureOf(fleetStatus({ corpus: root, queue })),
      ];
      for (const error of errors) {
        expect(error).toMatchObject({ code: "QUEUE_FAILED" });
        for (const text of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(shown(error)).not.toContain(text);
      }
    }
  });
});

describe.skipIf(!HAS_REDIS)("the address of a queue", () => {
  it("comes from ARCHIVE_QUEUE or a file, and neither client nor worker shows its password", async () => {
    await using server = await startRedis();
    const password = decodeURIComponent(new URL(server.url).password);
    const file = join(root, "queue-url");
    writeFileSync(file, `${server.url}\n`);
    const baseUrl = "http://127.0.0.1:1";
    vi.stubEnv("ARCHIVE_QUEUE", server.url);
    try {
      for (const queue of [undefined, file]) {
        const { storage, ...given } = options();
        const archive = await openFleet({ ...given, storage, baseUrl, queue });
        const worker = await startWorker({ apiKey: KEY, baseUrl, storage, queue });
        for (const one of [archive, worker]) expect(inspect(one, { depth: 20 }), "printed").not.toContain(password);
        await worker.close();
        await archive.close();
      }
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("--queue", () => {
  it.each(["work", "corpus status x", "corpus build x"])(
    "with a password is refused, and not shown: %s",
    async (command) => {
      const { status, stderr } = await callCommand(root, [
        ...command.split(" "),
        `--queue=redis://:${PASSWORD}@host:6379`,
      ]);
      expect(status).toBe(1);
      expect(stderr).toMatch(/invalid queue: "…".*Set ARCHIVE_QUEUE/);
      expect(stderr).not.toContain("s3cr3t");
    },
  );
});
