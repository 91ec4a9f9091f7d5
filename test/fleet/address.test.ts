import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openFleet, startWorker } from "../../src/fleet/index.js";
import { ArchiveError } from "../../src/index.js";
import { callCommand } from "../cli/callCommand.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf, KEY } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";

const root = temporaryFolder();
const PASSWORD = "s3cr3t-p@ss/wörd";
const baseUrl = "http://127.0.0.1:1";

/** Everything that a log may show of an error, its causes included. */
function shown(error: unknown): string {
  const deep = inspect(error, { depth: 20, showHidden: true });
  return [deep, String(error), JSON.stringify(error), (error as Error).stack].join("\n");
}

afterEach(() => void vi.unstubAllEnvs());

describe("the address of a queue", () => {
  it.each([
    [undefined],
    [`redis//:${PASSWORD}@host:6379`],
    [`postgres://:${encodeURIComponent(PASSWORD)}@host:6379`],
    [`redis://:${encodeURIComponent(PASSWORD)}@host:6379/notanumber`],
    [`redis://:${PASSWORD}@host:6379`],
  ])("is refused without being shown: %#", async (queue) => {
    vi.stubEnv("ARCHIVE_QUEUE", undefined);
    const error = await errorOf(openFleet({ baseUrl, queue }), ArchiveError);
    expect(error).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("ARCHIVE_QUEUE") });
    for (const part of ["s3cr3t", "rd@host:6379/n", "notanumber", "postgres"]) expect(shown(error)).not.toContain(part);
  });

  it.skipIf(!HAS_REDIS)("is shown without its password if the server refuses it, or is not there", async () => {
    await using server = await startRedis();
    const wrong = server.url.replace(/:[^:@]+@/, `:${encodeURIComponent(PASSWORD)}@`);
    for (const [queue, reason] of [
      [wrong, "password are missing or wrong"],
      [wrong.replace(/:\d+$/, ":1"), "connection refused"],
      [`${server.url}/99`, "DB index is out of range. Check"],
    ] as const) {
      const error = await errorOf(openFleet({ baseUrl, queue }), ArchiveError);
      expect(error).toMatchObject({ code: "QUEUE_FAILED", message: expect.stringContaining(reason) });
      for (const text of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(shown(error)).not.toContain(text);
    }
  });

  it.skipIf(!HAS_REDIS)(
    "comes from ARCHIVE_QUEUE or a file, and is in nothing that prints a client or worker",
    async () => {
      await using server = await startRedis();
      await using service = await startScriptedServer(() => ({ body: { people: [] } }));
      const file = join(root, "queue-url");
      writeFileSync(file, `${server.url}\n`);
      vi.stubEnv("ARCHIVE_QUEUE", server.url);
      for (const queue of [undefined, file]) {
        const archive = await openFleet({ baseUrl: service.baseUrl, queue });
        const worker = await startWorker({ apiKey: KEY, baseUrl: service.baseUrl, queue });
        const password = decodeURIComponent(new URL(server.url).password);
        for (const one of [archive, worker]) expect(inspect(one, { depth: 20 }), "printed").not.toContain(password);
        await worker.close();
        await archive.close();
      }
    },
  );

  it.each(["work", "corpus build x"])("with a password is refused on a command line: %s", async (command) => {
    const { status, stderr } = await callCommand(root, [
      ...command.split(" "),
      `--queue=redis://:${PASSWORD}@host:6379`,
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/invalid queue: "…".*Set ARCHIVE_QUEUE/);
    expect(stderr).not.toContain("s3cr3t");
  });
});
