import { createHash } from "node:crypto";
import { createReadStream, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import type { SaveFormat } from "../saveFormat.js";
import { type PackagedProvenance, packagedProvenance } from "./fileProvenance.js";
import type { TableSchema } from "./tableSchema.js";

/** What `datapackage.json` says of a file, or of the files of a dataset. */
export interface FileResource {
  readonly $schema: string;
  readonly name: string;
  /** Beside `datapackage.json`; of a dataset the paths of its files. */
  readonly path: string | readonly string[];
  readonly type?: "table";
  readonly format: string;
  readonly mediatype: string;
  readonly encoding?: "utf-8";
  readonly bytes: number;
  /** Of one file: `sha256:…`. */
  readonly hash?: string;
  /** Of the files of a dataset, in the order of `path`. */
  readonly hashes?: readonly string[];
  readonly schema?: TableSchema;
  readonly sources?: ReadonlyArray<{ readonly title: string; readonly path?: string }>;
  /** Where the rows come from; absent where that is not known. */
  readonly provenance?: PackagedProvenance;
}

const MEDIA_TYPES: Readonly<Record<SaveFormat, string>> = {
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/jsonl",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.file",
};

const TEXT: readonly SaveFormat[] = ["csv", "json", "jsonl"];

/** What is to be said of a file. */
export interface Saved {
  /** Where the file, or the folder of the dataset, lies now. */
  readonly path: string;
  /** The file, or the folder, that it will be. */
  readonly target: string;
  readonly format: SaveFormat;
  /** Undefined for a body as it was sent. */
  readonly schema: TableSchema | undefined;
  readonly provenance: Provenance | undefined;
}

/** Describes a file that was just made, or a dataset. */
export async function fileResource({ path, target, format, schema, provenance }: Saved): Promise<FileResource> {
  const name = basename(target);
  const content = await fileContent(path, name);
  return {
    $schema: "https://datapackage.org/profiles/2.0/dataresource.json",
    name: resourceName(name),
    ...content,
    ...(schema === undefined ? {} : { type: "table" }),
    format,
    mediatype: MEDIA_TYPES[format],
    ...(TEXT.includes(format) ? { encoding: "utf-8" } : {}),
    ...(schema === undefined ? {} : { schema }),
    ...(provenance === undefined
      ? {}
      : { sources: [sourceOf(provenance)], provenance: packagedProvenance(provenance) }),
  };
}

/** What is in a file, or in the files of a dataset, that is to be called so. */
export function fileContent(
  path: string,
  name: string,
): Promise<Pick<FileResource, "path" | "bytes" | "hash" | "hashes">> {
  return statSync(path).isDirectory() ? filesIn(path, name) : oneFile(path, name);
}

async function oneFile(path: string, name: string) {
  return { path: name, bytes: statSync(path).size, hash: await fileHash(path) };
}

async function filesIn(folder: string, name: string) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const hashes: string[] = [];
  for (const file of files) hashes.push(await fileHash(file));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const paths = files.map((file) => `${name}${file.slice(folder.length).replaceAll("\\", "/")}`);
  return { path: paths, bytes, hashes };
}

/** SHA-256 of a file, as data packages write it. */
async function fileHash(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return `sha256:${hash.digest("hex")}`;
}

/** Of an embedded archive the address says nothing: it is another one each time. */
function sourceOf({ source, baseUrl }: Provenance): { title: string; path?: string } {
  return source === baseUrl ? { title: "Archive Search Service", path: baseUrl } : { title: source };
}

/** Lower case letters, digits, `.`, `-` and `_`. */
function resourceName(file: string): string {
  return file.toLowerCase().replace(/[^a-z0-9._-]+/g, "-");
}
