import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Window } from "../corpus/definition/windows.js";
import { type FetchedWindow, parseLanding } from "../corpus/raw/landing.js";

/** Packs a window into one file for the storage: a line with its landing, then its files. */
export function packWindow({ landing, local }: FetchedWindow): Buffer {
  const files = landing.files.map(({ path }) => readFileSync(local.get(path) as string));
  return Buffer.concat([Buffer.from(`${JSON.stringify(landing)}\n`), ...files]);
}

/**
 * Unpacks a window.
 *
 * @param work a private directory for its files
 * @returns undefined if the file is missing, damaged, or of another window
 */
export function unpackWindow(
  packed: Buffer | undefined,
  { key, search, name }: Window,
  round: number,
  work: string,
): FetchedWindow | undefined {
  if (packed === undefined) return undefined;
  const end = packed.indexOf("\n");
  const landing = parseLanding(packed.subarray(0, Math.max(end, 0)));
  if (landing?.window !== key || landing.round !== round) return undefined;
  const local = new Map<string, string>();
  let at = end + 1;
  for (const { path, bytes, sha256 } of landing.files) {
    const content = packed.subarray(at, at + bytes);
    at += bytes;
    if (createHash("sha256").update(content).digest("hex") !== sha256) return undefined;
    local.set(path, join(work, `${key}-${local.size}.landed`));
    writeFileSync(local.get(path) as string, content, { mode: 0o600 });
  }
  return at === packed.length ? { landing: { ...landing, search: search.id, name }, local } : undefined;
}
