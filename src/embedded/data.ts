import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { LegislatorRecord } from "../members/legislator.js";
import { sha256Of } from "../util/sha256Of.js";
import type { Collection } from "./collection.js";

/** The content of the data file, which `test/tools/writeArchive.mjs` writes. */
export interface ArchiveFile extends Omit<Collection, "name"> {
  readonly legislators: readonly LegislatorRecord[];
}

let file: Buffer | undefined;
let content: ArchiveFile | undefined;

function bytes(): Buffer {
  file ??= readFileSync(new URL("./archive.json.br", import.meta.url));
  return file;
}

/** It is read on the first request: a start takes no time. */
function read(): ArchiveFile {
  // The file has no other characters, and texts of one byte per character are parsed faster.
  content ??= JSON.parse(brotliDecompressSync(bytes()).toString("latin1")) as ArchiveFile;
  return content;
}

/** The name of the embedded archive in provenance, with a hash of its data: `"embedded archive 3f2a9c1b"`. */
export function embeddedSource(): string {
  return `embedded archive ${sha256Of(bytes()).slice(0, 8)}`;
}

/** The members of its invented Congress since the 112th, as the project congress-legislators lists members. */
export function embeddedLegislators(): readonly LegislatorRecord[] {
  return read().legislators;
}

export function embeddedCollection(): Collection {
  return { ...read(), name: embeddedSource() };
}
