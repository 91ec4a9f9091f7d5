/**
 * Writes the data of the embedded archive, `src/embedded/archive.json.br`: `node test/tools/writeArchive.mjs`. They are those of
 * seed 1, with re-airings and without decoys.
 */
import { writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import "./typescript.mjs";

const { archiveFile } = await import("./archiveFile.ts");

const SIZE = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;

// The archive reads it as text of one byte per character.
const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const json = JSON.stringify(archiveFile(1, SIZE)).replace(/[\u0080-\uffff]/g, escaped);
const compressed = brotliCompressSync(json, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
});
if (compressed.length > MAX_BYTES) throw new Error(`the data have ${compressed.length} bytes`);
writeFileSync(new URL("../../src/embedded/archive.json.br", import.meta.url), compressed);
console.log(`${(compressed.length / 1e6).toFixed(2)} MB`);
