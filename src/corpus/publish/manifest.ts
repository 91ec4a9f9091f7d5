import { isObject } from "../../util/isObject.js";
import { readInside } from "../files.js";

/** `datapackage.json` describes the files of the tables. It is written after all of them. */
export const MANIFEST = "datapackage.json";
const MAX_BYTES = 2 ** 28;

/** A file of a table, as it was published. */
export interface TableFile {
  /** Relative to the directory of the corpus, with `/`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** "sha256:" and its hexadecimal digits. */
  readonly hash: string;
  /** Missing values of the columns that have any. */
  readonly nulls: Readonly<Record<string, number>>;
}

/** The files of the tables as they were published last; none if nothing was, or if the manifest is damaged. */
export function readManifest(dir: string): TableFile[] {
  try {
    const { resources } = JSON.parse(String(readInside(dir, MANIFEST, MAX_BYTES)));
    return (resources as unknown[])
      .filter(isObject)
      .flatMap(({ files }) => (Array.isArray(files) ? files.filter(isFile) : []));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return [];
    throw error;
  }
}

function isFile(file: unknown): file is TableFile {
  if (!isObject(file) || !isObject(file.nulls)) return false;
  const areCounts = [file.rows, file.bytes].every((count) => Number.isSafeInteger(count) && Number(count) >= 0);
  return areCounts && typeof file.path === "string" && /^sha256:[\da-f]{64}$/.test(String(file.hash));
}
