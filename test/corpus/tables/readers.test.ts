import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { mergeRows } from "../../../src/corpus/tables/mergeRows.js";
import { toDataFrame } from "../../../src/frames/toDataFrame.js";
import { runs } from "../../scale.js";

const MONTHS = 6;
const READER = fileURLToPath(new URL("readers.mjs", import.meta.url));

it("readers in other processes see whole tables only, while rows are merged", async () => {
  const dir = mkdtempSync(join(tmpdir(), "readers"));
  await mergeRows(dir, [unit(0)]);
  const child = spawn(process.execPath, [READER, dir], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("ready");
    const merges = runs(8, 300);
    for (let version = 1; version <= merges; version++) await mergeRows(dir, [unit(version)]);
    child.stdin.write("stop\n");
    const found = JSON.parse((await lines.next()).value as string);
    expect(found).toMatchObject({ errors: [], torn: [], shrunk: [] });
    expect(found.reads).toBeGreaterThan(2);
  } finally {
    child.kill();
    rmSync(dir, { recursive: true, force: true });
  }
});

/** A merge gives every mention so far a larger text, and adds one per month. */
function unit(version: number) {
  const rows = Array.from({ length: MONTHS * (version + 1) }, (_none, at) => ({
    id: String(at),
    begintime: `2024-0${1 + (at % MONTHS)}-05T00:00:00Z`,
    text: String(1000 + version),
  }));
  return { search: "s", window: "w", day: "2026-11-01", frame: toDataFrame(rows, { operation: "mentions" }) };
}
