import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const ORDINARY = 12_345;

/** Tests with two users need root, who can act as either. */
export const isRoot: boolean = process.geteuid?.() === 0;

/** Somebody who runs the code under test. */
export interface User {
  readonly name: string;
  readonly uid: number;
  /** Runs something as this user. One at a time: the whole process has one user. */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** A new private folder of this user, removed after the tests of the file. */
  folder(): string;
}

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** Whoever runs the tests, and an ordinary user as well where that is root. */
export const users: readonly User[] = isRoot
  ? [userOf("root", 0), userOf("an ordinary user", ORDINARY)]
  : [userOf("an ordinary user", process.geteuid?.() ?? -1)];

function userOf(name: string, uid: number): User {
  const isOther = uid !== (process.geteuid?.() ?? -1);
  return {
    name,
    uid,
    async run(work) {
      if (!isOther) return await work();
      const groups = process.getgroups?.() ?? [];
      process.setgroups?.([]);
      process.setegid?.(uid);
      process.seteuid?.(uid);
      try {
        return await work();
      } finally {
        process.seteuid?.(0);
        process.setegid?.(0);
        process.setgroups?.(groups);
      }
    },
    folder() {
      const path = mkdtempSync(join(tmpdir(), "archive-frames-test-"));
      if (isOther) chownSync(path, uid, uid);
      folders.push(path);
      return path;
    },
  };
}
