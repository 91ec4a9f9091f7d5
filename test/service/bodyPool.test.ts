import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BodyMemory, BodyPool, POOLED_BYTES, type Release } from "../../src/service/http/bodyPool.js";
import { transportTo } from "./helpers.js";
import { startScriptedServer } from "./scriptedServer.js";

const { smallest } = POOLED_BYTES;

beforeAll(() => {
  POOLED_BYTES.smallest = 1;
});
afterAll(() => {
  POOLED_BYTES.smallest = smallest;
});

/** What a reader holds: a view, the byte that fills it, and how to release it. */
interface Reader {
  readonly memory: BodyMemory;
  readonly fill: number;
  readonly release: Release;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ take: fc.integer({ min: 1, max: 5000 }) }),
    fc.record({ retain: fc.nat(20) }),
    fc.record({ release: fc.nat(20) }),
  ),
  { maxLength: 80 },
);

describe("the memory of bodies", () => {
  it("is never shared by two bodies, and holds until the last reader has released it", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const pool = new BodyPool();
        const readers: Reader[] = [];
        let fill = 0;
        for (const step of list) {
          if ("take" in step) {
            const memory = pool.take(step.take);
            fill = (fill % 255) + 1;
            expect(memory.bytes.length).toBeGreaterThanOrEqual(step.take);
            memory.bytes.fill(fill);
            readers.push({ memory, fill, release: memory.release });
          } else if ("retain" in step && step.retain < readers.length) {
            const reader = readers[step.retain] as Reader;
            readers.push({ ...reader, release: reader.memory.retain() });
          } else if ("release" in step && step.release < readers.length) {
            const [reader] = readers.splice(step.release, 1) as [Reader];
            reader.release();
            // A second call must not count for another reader.
            reader.release();
            const isLast = !readers.some(({ memory }) => memory.bytes === reader.memory.bytes);
            expect(reader.memory.bytes.length === 0).toBe(isLast);
          }
          for (const { memory, fill: expected } of readers) {
            expect(memory.bytes.every((byte) => byte === expected)).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is reused for a body of a similar size", () => {
    const pool = new BodyPool();
    const first = pool.take(900);
    first.bytes.fill(7);
    first.release();
    const second = pool.take(700);
    expect(second.bytes.length).toBe(1024);
    expect(second.bytes.every((byte) => byte === 7)).toBe(true);
  });

  it("is kept up to a limit, and not after the pool is closed", () => {
    const pool = new BodyPool();
    const half = POOLED_BYTES.total / 2;
    const taken = [half, half, half].map((size) => pool.take(size));
    for (const { bytes, release } of taken) {
      bytes.fill(9);
      release();
      expect(bytes.length).toBe(0);
    }
    const again = [half, half, half].map((size) => pool.take(size).bytes[0]);
    expect(again.filter((byte) => byte === 9)).toHaveLength(2);
    pool.close();
    expect(pool.take(half).bytes[0]).not.toBe(9);
  });
});

describe("the body of a response", () => {
  it("is empty after its release, also for a reader that kept a view", async () => {
    await using server = await startScriptedServer(({ url }) => ({ body: url }));
    const transport = transportTo(server);
    const first = await transport.request("/bills", []);
    const view = first.body.subarray(2);
    const second = await transport.request("/mentions", []);
    first.release?.();
    const third = await transport.request("/people", []);
    expect([first.body.toString(), view.toString()]).toEqual(["", ""]);
    expect(second.body.toString()).toContain("/mentions");
    expect(third.body.toString()).toContain("/people");
    await transport.close();
  });

  it("and its headers arrive unchanged, wherever the response is cut into pieces", async () => {
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
          response.release?.();
        }
        await transport.close();
        server.close();
      }),
      { numRuns: 15 },
    );
  });
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
