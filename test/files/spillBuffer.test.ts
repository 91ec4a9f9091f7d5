import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { SpillBuffer } from "../../src/files/spillBuffer.js";
import { type Chunk, joinChunks } from "../../src/frames/chunk.js";
import { irregularChunk } from "../../src/frames/irregularRows.js";
import { temporaryFolder } from "./temporary.js";

const rows = (from: number, count: number): Chunk =>
  irregularChunk(
    new Map(),
    [...Array(count).keys()].map((at) => ({
      id: `r${from + at}`,
      n: 9007199254740993n + BigInt(from + at),
      f: (from + at) / 7,
      b: at % 2 === 0 ? null : true,
      tags: [from, at],
    })),
  );
const frameOf = (chunks: readonly Chunk[]) => joinChunks(new Map(), chunks);

describe("a spill buffer", () => {
  it("returns what it was given, from memory and from its file", () => {
    for (const inMemory of [0, 500, Number.POSITIVE_INFINITY]) {
      const spool = new SpillBuffer(inMemory);
      const groups = [[rows(0, 5)], [rows(5, 1), rows(6, 30)], [], [rows(36, 100)]];
      for (const group of groups) spool.push(group, 300 * group.length);
      for (let again = 0; again < 2; again++) {
        const back = [...spool.groups()];
        expect(back.map((group) => group.length)).toEqual([1, 2, 0, 1]);
        expect(frameOf(back.flat()).frameEqual(frameOf(groups.flat()), true)).toBe(true);
      }
      spool.drop(2);
      expect(frameOf([...spool.groups()].flat()).frameEqual(frameOf(groups.slice(2).flat()), true)).toBe(true);
      spool.drop(2);
      spool.push([rows(200, 3)], 300);
      expect(frameOf([...spool.groups()].flat()).height).toBe(3);
      spool.close();
    }
  });

  const empty = temporaryFolder();
  it("leaves no named file behind", () => {
    // Other processes of the tests use the common one.
    vi.stubEnv("TMPDIR", empty);
    const spool = new SpillBuffer(0);
    spool.push([rows(0, 1000)], 50_000);
    if (process.platform !== "win32") expect(readdirSync(tmpdir())).toEqual([]);
    spool.close();
    vi.unstubAllEnvs();
  });
});
