import { statSync } from "node:fs";
import { join } from "node:path";
import { readReceivedFile } from "../../../fs/readReceivedFile.js";
import { writeFileAtomic } from "../../../fs/writeFileAtomic.js";
import { isObject } from "../../../util/isObject.js";
import { VERSION } from "../../../util/version.js";
import type { FileStatistics } from "./tableStatistics.js";
import type { VideoTypeCount } from "./videoTypeLabels.js";

/** What is known of a file. */
export interface DescribedFile extends FileStatistics {
  /** Of a file of mentions. */
  readonly videoTypes?: readonly VideoTypeCount[];
}

const FILE = join("work", "described.json");
const MAX_BYTES = 2 ** 28;

/**
 * The statistics of files that have not changed since an earlier run, in `work/described.json`. Without it every file is
 * read again. It belongs to the user: `work/` is private.
 */
export class DescribedFiles {
  readonly #known: ReadonlyMap<string, readonly [identity: string, DescribedFile]>;
  readonly #described = new Map<string, readonly [identity: string, DescribedFile]>();
  readonly #key: string;
  #isNew = false;

  /** @param key what the statistics depend on besides the files */
  constructor(
    readonly dir: string,
    key: string,
  ) {
    this.#key = `${VERSION} ${key}`;
    this.#known = readKnown(dir, this.#key);
  }

  /**
   * The statistics of a file.
   *
   * @param others further files that they depend on
   * @param describe reads the file
   */
  get(path: string, others: readonly string[], describe: () => DescribedFile): DescribedFile {
    const identity = [path, ...others].map((one) => identityOf(join(this.dir, one))).join(" ");
    const known = this.#known.get(path);
    const isKnown = known?.[0] === identity;
    const found = isKnown ? known[1] : describe();
    this.#isNew ||= !isKnown;
    this.#described.set(path, [identity, found]);
    return found;
  }

  /** Keeps the statistics for the next run. */
  save(): void {
    if (!this.#isNew && this.#described.size === this.#known.size) return;
    const files = Object.fromEntries(this.#described);
    writeFileAtomic(join(this.dir, FILE), JSON.stringify({ key: this.#key, files }));
  }
}

/** A file that is replaced has another inode. */
function identityOf(path: string): string {
  const { ino, mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { ino: 0, mtimeMs: 0, size: 0 };
  return `${ino} ${mtimeMs} ${size}`;
}

function readKnown(dir: string, key: string): Map<string, readonly [string, DescribedFile]> {
  try {
    const known: unknown = JSON.parse(readReceivedFile(dir, FILE, MAX_BYTES).toString());
    if (!isObject(known) || known.key !== key || !isObject(known.files)) return new Map();
    return new Map(Object.entries(known.files) as Array<[string, readonly [string, DescribedFile]]>);
  } catch {
    return new Map();
  }
}
