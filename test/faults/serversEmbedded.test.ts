import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArchiveClient } from "../../src/index.js";
import { generatedArchive, portOf, sendRaw } from "../embedded/support.js";
import { LONG, runs } from "../scale.js";
import { expectLoopbackOnly } from "./listeners.js";

const archive = await generatedArchive({ size: 3000 });
const port = portOf(archive);

async function expectWorking(): Promise<void> {
  await using client = new ArchiveClient({ baseUrl: archive.baseUrl, apiKey: archive.apiKey, progress: false });
  expect((await client.bills("budget")).height).toBeGreaterThan(0);
}

describe("the embedded archive", () => {
  it("listens on the loopback interface only", () => expectLoopbackOnly(port));

  it("rejects malformed requests and keeps working", async () => {
    const head = `GET /2.0/bills?query=budget HTTP/1.1\r\nhost: x\r\nx-api-key: ${archive.apiKey}\r\n`;
    const malformed: Array<string | Buffer> = [
      "\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "\0".repeat(1000),
      Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
      `${head}x: ${"y".repeat(1_000_000)}\r\n\r\n`,
      `${head}${Array.from({ length: 5000 }, (_, at) => `x-${at}: 1\r\n`).join("")}\r\n`,
      `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`,
      `${head}content-length: 10\r\ncontent-length: 20\r\n\r\nx`,
      `${head}content-length: -1\r\n\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head}x-api-key: another\r\n\r\n`,
      `${head}expect: 200-ok\r\n\r\n`,
      `${head}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
      `${head.replace("/2.0", "http://elsewhere/2.0")}\r\n`,
      `${head.replace("/2.0/bills?query=budget", "/2.0/people/%")}\r\n`,
      `${head.replace("/2.0/bills?query=budget", "/2.0/../../etc/passwd")}\r\n`,
      `${head.replace("GET", "DELETE")}\r\n`,
    ];
    for (const bytes of malformed) {
      const answer = await sendRaw(archive, bytes);
      expect(answer === "" || /^HTTP\/1\.1 [2-5]\d\d /.test(answer), JSON.stringify(answer.slice(0, 80))).toBe(true);
      expect(answer).not.toMatch(/^HTTP\/1\.1 500|\bat .*\.[jt]s:\d/);
    }
    await expectWorking();
  });

  it("survives any bytes", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc
        .tuple(fc.webQueryParameters(), fc.string())
        .map(([query, more]) =>
          Buffer.from(
            `GET /2.0/mentions?query=${query} HTTP/1.1\r\nhost: x\r\nx-api-key: ${archive.apiKey}\r\n${more}\r\n\r\n`,
          ),
        ),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        expect(await sendRaw(archive, some)).toMatch(/^$|^HTTP\/1\.1 (200|4\d\d) /);
      }),
      { numRuns: runs(50, 2000) },
    );
    await expectWorking();
  });

  it("responds to any parameters with rows or status 400, never with an internal error", async () => {
    const QUERIES = 'a:b¦((¦"¦text:[a TO b]¦*:*¦\\¦a AND¦NOT¦-¦+¦__proto__¦constructor:x'.split("¦");
    const PARTS = '(¦)¦text:¦person:¦ AND ¦ OR ¦"¦a¦*¦-¦\\¦^2¦~'.split("¦");
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...QUERIES),
      fc.array(fc.constantFrom(...PARTS)).map((parts) => parts.join("")),
    );
    const NAMES = "query last first limit page cursor mindate maxdate videotype personid sort __proto__";
    const asked = fc.record({
      path: fc.constantFrom("bills", "mentions", "people", "programs/search"),
      query: fc.dictionary(fc.constantFrom(...NAMES.split(" ")), value),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ path, query }) => {
        const url = new URL(`${archive.baseUrl}/${path}`);
        for (const [name, text] of Object.entries(query)) url.searchParams.append(name, text);
        const answer = await fetch(url, { headers: { "x-api-key": archive.apiKey } });
        const body = (await answer.json()) as object;
        // Only a date range makes the real service respond with 500.
        expect([200, 400]).toContain(
          answer.status === 500 && JSON.stringify(query).includes(" TO ") ? 400 : answer.status,
        );
        expect(body).toBeTypeOf("object");
      }),
      { numRuns: runs(50, 5000) },
    );
  });

  it("tolerates slow clients and idle connections", async () => {
    const count = LONG ? 10_000 : 1000;
    // A separate process, because both ends of a connection count towards a process's open files.
    const code = `const { connect } = require("node:net"); let open = 0;
      for (let at = 0; at < ${count}; at++) connect(${port}, "127.0.0.1", function () {
        if (at % 2 === 0) this.write("GET /2.0/bills?query=budget HTTP/1.1\\r\\nhost:");
        if (++open === ${count}) console.log("open");
      }).on("error", () => {});`;
    const flood = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    await once(flood.stdout, "data");
    await expectWorking();
    flood.kill();
    await once(flood, "exit");
    await expectWorking();
  });

  it.runIf(LONG)("drops a client that does not finish its request", async () => {
    expect(
      await new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1", () => socket.write("GET /2.0/bills HTTP/1.1\r\nhost:"));
        socket.once("data", (answer) => resolve(answer.toString("latin1")));
      }),
    ).toMatch(/^HTTP\/1\.1 408 /);
  });
});
