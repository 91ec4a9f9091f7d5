import fc from "fast-check";
import { expect, it } from "vitest";
import { ask, generatedArchive, portOf, sendRaw } from "../embedded/support.js";
import { runs } from "../scale.js";
import { expectLoopbackOnly } from "./listeners.js";

const archive = await generatedArchive({ size: 3000 });

it("the embedded archive listens on the loopback interface only", () => expectLoopbackOnly(portOf(archive)));

it("any bytes get an answer of status 200 or 4xx, or none, and the archive keeps working", async () => {
  const head = `GET /2.0/bills?query=budget HTTP/1.1\r\nhost: x\r\nx-api-key: ${archive.apiKey}\r\n`;
  const malformed = [
    `${head}x: ${"y".repeat(1_000_000)}\r\n\r\n`,
    `${head}content-length: 10\r\ncontent-length: 20\r\n\r\nx`,
    `${head}x-api-key: another\r\n\r\n`,
    `${head}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
    `${head.replace("/2.0/bills?query=budget", "http://elsewhere/2.0/../../etc/passwd")}\r\n`,
    `${head.replace("/2.0/bills?query=budget", "/2.0/people/%")}\r\n`,
  ];
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc.tuple(fc.webQueryParameters(), fc.string()).map(([query, more]) => {
      return Buffer.from(`${head.replace("query=budget", query)}${more}\r\n\r\n`);
    }),
  );
  const property = fc.asyncProperty(bytes, async (some) => {
    expect(await sendRaw(archive, some)).toMatch(/^$|^HTTP\/1\.1 (200|4\d\d) /);
  });
  const examples = malformed.map((text): [Buffer] => [Buffer.from(text)]);
  await fc.assert(property, { numRuns: runs(50, 2000), examples });
  expect((await ask(archive, "/bills", { query: "budget" })).status).toBe(200);
});

it("any parameters get rows or status 400, never an internal error", async () => {
  const PARTS = '(¦)¦text:¦person:¦__proto__:¦ AND ¦ OR ¦NOT¦"¦a¦*¦-¦\\¦^2¦~¦[a TO b]'.split("¦");
  const some = fc.array(fc.constantFrom(...PARTS)).map((parts) => parts.join(""));
  const NAMES = "query last first limit page cursor mindate maxdate videotype personid sort __proto__".split(" ");
  const path = fc.constantFrom("/bills", "/mentions", "/people", "/programs/search");
  const parameters = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(fc.string({ unit: "binary" }), some));
  const property = fc.asyncProperty(path, parameters, async (to, query) => {
    const { status } = await ask(archive, to, query);
    // Only a date range makes the real service respond with 500.
    expect([200, 400]).toContain(status === 500 && JSON.stringify(query).includes(" TO ") ? 400 : status);
  });
  await fc.assert(property, { numRuns: runs(50, 5000) });
});
