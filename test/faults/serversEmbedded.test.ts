import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveClient } from "../../src/index.js";
import { ask, generatedArchive, portOf, sendRaw } from "../embedded/support.js";
import { runs } from "../scale.js";
import { expectLoopbackOnly } from "./listeners.js";

const archive = await generatedArchive({ size: 3000 });
const port = portOf(archive);

async function expectWorking(): Promise<void> {
  await using client = new ArchiveClient({ baseUrl: archive.baseUrl, apiKey: archive.apiKey, progress: false });
  expect((await client.bills("budget")).height).toBeGreaterThan(0);
}

describe("the embedded archive", () => {
  it("listens on the loopback interface only", () => expectLoopbackOnly(port));

  it("survives any bytes", async () => {
    const start = "GET /2.0/bills?query=budget HTTP/1.1\r\n";
    const head = `${start}host: x\r\nx-api-key: ${archive.apiKey}\r\n`;
    const malformed: readonly string[] = [
      "GET / HTTP/9.9\r\n\r\n",
      `${head}x: ${"y".repeat(1_000_000)}\r\n\r\n`,
      `${head}content-length: 10\r\ncontent-length: 20\r\n\r\nx`,
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head}x-api-key: another\r\n\r\n`,
      `${head}expect: 200-ok\r\n\r\n`,
      `${head}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
      `${head.replace("/2.0/bills?query=budget", "http://elsewhere/2.0/../../etc/passwd")}\r\n`,
      `${head.replace("/2.0/bills?query=budget", "/2.0/people/%")}\r\n`,
      `${head.replace("GET", "DELETE")}\r\n`,
    ];
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.tuple(fc.webQueryParameters(), fc.string()).map(([query, more]) => {
        return Buffer.from(`${head.replace("query=budget", query)}${more}\r\n\r\n`);
      }),
    );
    const property = fc.asyncProperty(bytes, async (some) => {
      expect(await sendRaw(archive, some)).toMatch(/^$|^HTTP\/1\.1 (200|4\d\d|505) /);
    });
    await fc.assert(property, {
      numRuns: runs(50, 2000),
      examples: malformed.map((text) => [Buffer.from(text)]),
    });
    await expectWorking();
  });

  it("responds to any parameters with rows or status 400, never with an internal error", async () => {
    const PARTS = '(¦)¦text:¦person:¦__proto__:¦ AND ¦ OR ¦NOT¦"¦a¦*¦-¦\\¦^2¦~¦[a TO b]'.split("¦");
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...PARTS)).map((parts) => parts.join("")),
    );
    const NAMES = "query last first limit page cursor mindate maxdate videotype personid sort __proto__".split(" ");
    const path = fc.constantFrom("/bills", "/mentions", "/people", "/programs/search");
    const property = fc.asyncProperty(path, fc.dictionary(fc.constantFrom(...NAMES), value), async (to, query) => {
      const { status } = await ask(archive, to, query);
      // Only a date range makes the real service respond with 500.
      expect([200, 400]).toContain(status === 500 && JSON.stringify(query).includes(" TO ") ? 400 : status);
    });
    await fc.assert(property, { numRuns: runs(50, 5000) });
  });

  it("works beside a thousand connections that wait", async () => {
    const waiting = Array.from({ length: 1000 }, () => connect(port, "127.0.0.1"));
    await Promise.all(waiting.map((socket) => once(socket, "connect")));
    for (const socket of waiting) socket.write("GET /2.0/bills?query=budget HTTP/1.1\r\nhost:");
    await expectWorking();
    for (const socket of waiting) socket.destroy();
  });
});
