import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readReceivedFile } from "../../fs/readReceivedFile.js";
import { toFileError } from "../../fs/toFileError.js";
import { writeFileAtomic } from "../../fs/writeFileAtomic.js";

const MAX_BYTES = 2 ** 28;

/**
 * The ids that each unit of a refresh has found, in `work/refreshed/`, until the refresh is complete: what vanished where two windows
 * meet is known only when both were asked.
 */
export class RefreshedIds {
  readonly #path: string;

  /** @param work the directory `work/` of the corpus */
  constructor(readonly work: string) {
    this.#path = join(work, "refreshed");
  }

  /** Whether a refresh has begun that is not complete. */
  get isOpen(): boolean {
    return existsSync(this.#path);
  }

  /** Called before a refresh is written to `corpus.json`. */
  begin(): void {
    try {
      mkdirSync(this.#path, { recursive: true });
    } catch (error) {
      throw toFileError(error, this.#path);
    }
  }

  keep(unit: string, ids: ReadonlySet<string>): void {
    writeFileAtomic(join(this.#path, `${unit}.json`), JSON.stringify([...ids]));
  }

  has(unit: string): boolean {
    return existsSync(join(this.#path, `${unit}.json`));
  }

  read(unit: string): string[] {
    return JSON.parse(readReceivedFile(this.work, `refreshed/${unit}.json`, MAX_BYTES).toString());
  }

  end(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
