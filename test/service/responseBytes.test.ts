import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { transportTo } from "./helpers.js";

test("the body of a response and its headers arrive unchanged, wherever it is cut into pieces", async () => {
  const cuts = fc.array(fc.nat(6000), { maxLength: 5 });
  const sizes = fc.constantFrom(0, 10, 40_000, 300_000, 900_000);
  const responses = fc.array(fc.tuple(sizes, cuts, fc.boolean()), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(responses, async (list) => {
      const texts = list.map(([size], at) => ({ tag: `${at}`.repeat(4000), body: Buffer.alloc(size, 97 + at) }));
      let served = 0;
      const server = createServer((socket) => {
        socket.setNoDelay(true);
        socket.on("error", () => undefined);
        socket.on("data", async () => {
          const at = served++;
          const [, cutsOfThis, isChunked] = list[at] as (typeof list)[number];
          await writeInPieces(socket, responseBytes(texts[at] as Text, isChunked), cutsOfThis);
        });
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const transport = transportTo({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      for (const { tag, body } of texts) {
        const response = await transport.request("/bills", []);
        expect(response.headers["x-tag"] === tag).toBe(true);
        expect(response.body.equals(body)).toBe(true);
      }
      await transport.close();
      server.close();
    }),
    { numRuns: 15 },
  );
});

interface Text {
  readonly tag: string;
  readonly body: Buffer;
}

function responseBytes({ tag, body }: Text, isChunked: boolean): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-tag: ${tag}\r\n`;
  if (!isChunked) return Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]);
  const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")];
  return Buffer.concat([Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), ...chunk, Buffer.from("0\r\n\r\n")]);
}

/** Lets the client read each piece before the next one is sent. */
async function writeInPieces(socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
  let from = 0;
  for (const end of ends) {
    socket.write(bytes.subarray(from, end));
    from = end;
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  }
}
