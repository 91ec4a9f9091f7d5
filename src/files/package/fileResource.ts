import { openSync, statSync } from "node:fs";
import { basename } from "node:path";
import { sha256OfFile } from "../../fs/receivedFile.js";
import type { Provenance } from "../../service/paging/provenanceRecorder.js";
import { sha256Of } from "../../util/hash.js";
import type { SaveFormat } from "../saveFormat.js";
import { type FileProvenance, fileProvenance } from "./fileProvenance.js";
import type { TableSchema } from "./tableSchema.js";

/** The description of a file in `datapackage.json`. */
export interface FileResource {
  readonly $schema: string;
  readonly name: string;
  /** Relative to `datapackage.json`. */
  readonly path: string;
  readonly type?: "table";
  readonly format: string;
  readonly mediatype: string;
  readonly encoding?: "utf-8";
  readonly bytes: number;
  /** `sha256:…` */
  readonly hash: string;
  readonly schema?: TableSchema;
  readonly sources?: ReadonlyArray<{ readonly title: string; readonly path?: string }>;
  /** Absent if unknown. */
  readonly provenance?: FileProvenance;
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

interface SavedFile {
  readonly path: string;
  readonly format: SaveFormat;
  /** Undefined for a response body as sent. */
  readonly schema: TableSchema | undefined;
  readonly provenance: Provenance | undefined;
}

export async function fileResource(file: SavedFile): Promise<FileResource> {
  const { path, format, schema, provenance } = file;
  return {
    $schema: "https://datapackage.org/profiles/2.0/dataresource.json",
    name: resourceName(basename(path)),
    ...(await describeContent(path)),
    ...(schema === undefined ? {} : { type: "table" }),
    format,
    mediatype: MEDIA_TYPES[format],
    ...(TEXT_FORMATS.includes(format) ? { encoding: "utf-8" } : {}),
    ...(schema === undefined ? {} : { schema }),
    ...(provenance === undefined ? {} : { sources: [sourceOf(provenance)], provenance: fileProvenance(provenance) }),
  };
}

/** A resource name may only contain these characters, and must be unique. */
function resourceName(filename: string): string {
  const name = filename.toLowerCase().replace(/[^a-z0-9._-]+/g, "-");
  return name === filename ? name : `${name}-${sha256Of(filename).slice(0, 8)}`;
}

/** The name, size and hash of a file. */
export async function describeContent(path: string): Promise<Pick<FileResource, "path" | "bytes" | "hash">> {
  return {
    path: basename(path),
    bytes: statSync(path).size,
    hash: `sha256:${await sha256OfFile(openSync(path, "r"))}`,
  };
}

/** Omits the URL of an embedded archive, which changes with every start. */
function sourceOf({ source, baseUrl }: Provenance): { title: string; path?: string } {
  return source === baseUrl ? { title: "Archive Search Service", path: baseUrl } : { title: source };
}
