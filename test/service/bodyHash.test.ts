import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { BodyHash } from "../../src/service/paging/bodyHash.js";
import { hashWorker } from "../../src/service/paging/hashWorker.js";

const sha256 = (bodies: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(bodies)).digest("hex");

describe("the hash of the bodies", () => {
  it("is SHA-256 of all of them in order, small or large, settled on the way or not", async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(fc.nat(255), fc.integer({ min: 200_000, max: 1_500_000 }))
        .map(([byte, size]) => new Uint8Array(size).fill(byte)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(body, fc.boolean()), { maxLength: 6 }), async (bodies) => {
        const hash = new BodyHash();
        const seen: Uint8Array[] = [];
        for (const [bytes, settle] of bodies) {
          hash.update(bytes);
          seen.push(bytes);
          if (!settle) continue;
          await hash.settle(false);
          expect(hash.digest).toBe(sha256(seen));
        }
        await hash.settle(true);
        expect(hash.digest).toBe(sha256(seen));
      }),
      { numRuns: 40 },
    );
  });

  it("stays what it was when it is settled again after the last body", async () => {
    const bytes = Buffer.alloc(3 * 2 ** 20, 7);
    const hash = new BodyHash();
    hash.update(bytes);
    hash.update(bytes);
    await hash.settle(true);
    await hash.settle(false);
    expect(hash.digest).toBe(sha256([bytes, bytes]));
  });

  it("leaves the bytes to their owner", async () => {
    const bytes = Buffer.alloc(3 * 2 ** 20, 7);
    const hash = new BodyHash();
    hash.update(bytes);
    hash.update(bytes);
    await hash.settle(true);
    expect(bytes.length).toBe(3 * 2 ** 20);
    expect(hash.digest).toBe(sha256([bytes, bytes]));
  });

  it("is computed whatever flags the process runs with", async () => {
    const module = pathToFileURL(join(import.meta.dirname, "../../dist/service/paging/bodyHash.js")).href;
    const code = `
      import { BodyHash } from ${JSON.stringify(module)};
      const hash = new BodyHash();
      for (let at = 0; at < 3; at++) hash.update(Buffer.alloc(2 ** 20, at));
      await hash.settle(true);
      process.stdout.write(String(hash.digest));`;
    const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-"], { input: code });
    const whole = sha256([0, 1, 2].map((byte) => Buffer.alloc(2 ** 20, byte)));
    expect([status, stdout.toString()]).toEqual([0, whole]);
  });

  it("is unknown, and nobody waits for it, where the thread has died", async () => {
    const thread = hashWorker();
    thread.update(-1, { buffer: new ArrayBuffer(1) } as never);
    await vi.waitUntil(() => hashWorker() !== thread);
    expect(await thread.digest(-1, true)).toBeNull();
  });
});
