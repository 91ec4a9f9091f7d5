import { openSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { sha256OfFile } from "../../fs/fileBytes.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { sum } from "../../util/sum.js";
import type { SaveFormat } from "../saveFormat.js";
import { type PackagedProvenance, packagedProvenance } from "./fileProvenance.js";
import type { TableSchema } from "./tableSchema.js";

/** The description of a file, or of the files of a dataset, in `datapackage.json`. */
export interface FileResource {
  readonly $schema: string;
  readonly name: string;
  /** The path, relative to `datapackage.json`; for a dataset, those of its files. */
  readonly path: string | readonly string[];
  readonly type?: "table";
  readonly format: string;
  readonly mediatype: string;
  readonly encoding?: "utf-8";
  readonly bytes: number;
  /** Hash of a single file: `sha256:…`. */
  readonly hash?: string;
  /** Hashes of the files of a dataset, in the order of `path`. */
  readonly hashes?: readonly string[];
  readonly schema?: TableSchema;
  readonly sources?: ReadonlyArray<{ readonly title: string; readonly path?: string }>;
  /** Absent if unknown. */
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

const TEXT_FORMATS: readonly SaveFormat[] = ["csv", "json", "jsonl"];

export interface SavedFile {
  /** Current path of the file, or of the directory of the dataset. */
  readonly path: string;
  /** Its final path. */
  readonly target: string;
  readonly format: SaveFormat;
  /** Undefined for a response body as sent. */
  readonly schema: TableSchema | undefined;
  readonly provenance: Provenance | undefined;
}

export async function fileResource(file: SavedFile): Promise<FileResource> {
  const { path, target, format, schema, provenance } = file;
  const name = basename(target);
  const content = await fileContent(path, name);
  return {
    $schema: "https://datapackage.org/profiles/2.0/dataresource.json",
    // Resource names may only contain these characters.
    name: name.toLowerCase().replace(/[^a-z0-9._-]+/g, "-"),
    ...content,
    ...(schema === undefined ? {} : { type: "table" }),
    format,
    mediatype: MEDIA_TYPES[format],
    ...(TEXT_FORMATS.includes(format) ? { encoding: "utf-8" } : {}),
    ...(schema === undefined ? {} : { schema }),
    ...(provenance === undefined
      ? {}
      : { sources: [sourceOf(provenance)], provenance: packagedProvenance(provenance) }),
  };
}

/** Paths, sizes and hashes of a file or of the files of a dataset. */
export type FileContent = Pick<FileResource, "path" | "bytes" | "hash" | "hashes">;

export async function fileContent(path: string, name: string): Promise<FileContent> {
  const stats = statSync(path);
  if (!stats.isDirectory()) return { path: name, bytes: stats.size, hash: await fileHash(path) };
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const hashes: string[] = [];
  for (const file of files) hashes.push(await fileHash(file));
  const bytes = sum(files.map((file) => statSync(file).size));
  const paths = files.map((file) => `${name}${file.slice(path.length).replaceAll("\\", "/")}`);
  return { path: paths, bytes, hashes };
}

async function fileHash(path: string): Promise<string> {
  return `sha256:${await sha256OfFile(openSync(path, "r"))}`;
}

/** Omits the URL of an embedded archive, which changes with every start. */
function sourceOf({ source, baseUrl }: Provenance): { title: string; path?: string } {
  return source === baseUrl ? { title: "Archive Search Service", path: baseUrl } : { title: source };
}
