import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cacheRoot, makePrivateDirectory } from "../../src/fs/makeDirectory.js";
import { openPrivateFile } from "../../src/fs/openPrivateFile.js";
import { processLock } from "../../src/fs/processLock.js";
import { readReceivedFile } from "../../src/fs/readReceivedFile.js";
import { writeFileAtomic } from "../../src/fs/writeFileAtomic.js";
import { ArchiveError } from "../../src/index.js";
import { IMPOSTORS } from "./impostors.js";
import { give, isRoot, STRANGER, users } from "./users.js";

const isPosix = process.platform !== "win32";

function refused(work: () => unknown): ArchiveError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveError);
    expect((error as ArchiveError).code).toBe("UNSAFE_PATH");
    return error as ArchiveError;
  }
  throw new Error("it was not refused");
}

const mode = (path: string) => lstatSync(path).mode & 0o777;

describe.skipIf(!isPosix).each(users)("files of $name", ({ run, folder, uid }) => {
  it.each(Object.entries(IMPOSTORS))("are not %s", (_name, plant) =>
    run(() => {
      const root = folder();
      const path = join(root, "journal");
      writeFileSync(join(root, "victim"), "secret", { mode: 0o600 });
      plant(path, join(root, "victim"));
      for (const how of ["existing", "either"] as const) {
        const error = refused(() => openPrivateFile(path, how));
        expect(error.path).toBe(path);
        expect(error.message).toContain(path);
      }
      expect(() => openPrivateFile(path, "create")).toThrow(/EEXIST/);
      expect(readFileSync(join(root, "victim"), "utf8")).toBe("secret");
      expect(readdirSync(root)).toEqual(["journal", "victim"]);
    }),
  );

  it("are made with mode 0600, and opened again", () =>
    run(() => {
      const path = join(folder(), "journal");
      for (const how of ["create", "existing", "either"] as const) closeSync(openPrivateFile(path, how));
      expect(mode(path)).toBe(0o600);
      expect(() => openPrivateFile(path, "create")).toThrow(/EEXIST/);
      expect(() => openPrivateFile(`${path}2`, "existing")).toThrow(/ENOENT/);
    }));

  it("are not those that others can write to", () =>
    run(() => {
      const path = join(folder(), "journal");
      writeFileSync(path, "");
      chmodSync(path, 0o620);
      refused(() => openPrivateFile(path, "either"));
    }));

  it.skipIf(!isRoot)("are not those of another user, for whom they are not opened at all", async () => {
    const root = folder();
    const path = join(root, "journal");
    writeFileSync(path, "theirs", { mode: 0o644 });
    give(STRANGER, path);
    await run(() => refused(() => openPrivateFile(path, "either")));
    expect(readFileSync(path, "utf8")).toBe("theirs");
  });

  it("are private directories", () =>
    run(() => {
      const path = join(folder(), "a", "b");
      expect([makePrivateDirectory(path), makePrivateDirectory(path)]).toEqual([true, false]);
      expect([mode(path), statSync(path).uid]).toEqual([0o700, uid]);
      expect(mode(join(path, ".."))).toBe(0o777 & ~process.umask());
      for (const loose of [0o770, 0o702, 0o1777]) {
        chmodSync(path, loose);
        refused(() => makePrivateDirectory(path));
      }
      expect(readdirSync(join(path, ".."))).toEqual(["b"]);
    }));

  it("are not directories behind a link", () =>
    run(() => {
      const root = folder();
      mkdirSync(join(root, "elsewhere"), 0o700);
      symlinkSync(join(root, "elsewhere"), join(root, "link"));
      symlinkSync(join(root, "nowhere"), join(root, "dangling"));
      writeFileSync(join(root, "file"), "");
      for (const name of ["link", "dangling", "file"]) refused(() => makePrivateDirectory(join(root, name)));
      expect(existsSync(join(root, "nowhere"))).toBe(false);
    }));

  it.skipIf(!isRoot)("are no folders of another user", async () => {
    const root = folder();
    mkdirSync(join(root, "planted"), 0o755);
    give(STRANGER, join(root, "planted"));
    await run(() => refused(() => makePrivateDirectory(join(root, "planted"))));
  });

  it("that are received are regular files inside the directory, of bounded size", () =>
    run(() => {
      const root = folder();
      mkdirSync(join(root, "snapshot/bodies"), { recursive: true });
      mkdirSync(join(root, "outside"));
      writeFileSync(join(root, "outside/x"), "secret");
      writeFileSync(join(root, "snapshot/bodies/a"), "12345");
      symlinkSync("a", join(root, "snapshot/bodies/link"));
      symlinkSync("../outside", join(root, "snapshot/linked"));
      symlinkSync("snapshot", join(root, "named"));
      execFileSync("mkfifo", [join(root, "snapshot/fifo")]);
      const received = join(root, "snapshot");
      expect(readReceivedFile(received, "bodies/a", 5).toString()).toBe("12345");
      expect(readReceivedFile(join(root, "named"), "bodies/a", 5).toString()).toBe("12345");
      for (const name of ["bodies/link", "linked/x", "fifo", "bodies", "../outside/x", "bodies/../bodies/a", "/a", ""])
        refused(() => readReceivedFile(received, name, 100));
      expect(() => readReceivedFile(received, "bodies/a", 4)).toThrow(
        expect.objectContaining({ code: "FILE_ERROR", path: join(received, "bodies/a") }),
      );
      expect(() => readReceivedFile(received, "bodies/b", 4)).toThrow(/ENOENT/);
    }));

  it("that are written atomically replace a link, and do not follow it", () =>
    run(() => {
      const root = folder();
      const path = join(root, "a.json");
      writeFileSync(join(root, "victim"), "secret");
      symlinkSync("victim", path);
      // The name that was used for what is not whole yet.
      symlinkSync("victim", `${path}.${process.pid}.partial`);
      writeFileAtomic(path, "new");
      expect([readFileSync(path, "utf8"), readFileSync(join(root, "victim"), "utf8")]).toEqual(["new", "secret"]);
      expect(lstatSync(path).isFile()).toBe(true);
      expect(readdirSync(root).sort()).toEqual(["a.json", `a.json.${process.pid}.partial`, "victim"].sort());
    }));

  it("that are written atomically have the default mode, or that of the replaced file", () =>
    run(() => {
      const path = join(folder(), "a.json");
      writeFileAtomic(path, "1");
      expect(mode(path)).toBe(0o666 & ~process.umask());
      chmodSync(path, 0o640);
      writeFileAtomic(path, "2");
      expect(mode(path)).toBe(0o640);
      writeFileAtomic(`${path}2`, "2", 0o600);
      expect(mode(`${path}2`)).toBe(0o600);
    }));

  it.each(Object.entries(IMPOSTORS).filter(([name]) => name !== "a hard link"))(
    "that are locks are not %s",
    (_name, plant) =>
      run(() => {
        const root = folder();
        writeFileSync(join(root, "victim"), "secret", { mode: 0o600 });
        plant(join(root, "lock"), join(root, "victim"));
        refused(() => processLock(join(root, "lock"), "the target"));
        expect(readdirSync(root)).toEqual(["lock", "victim"]);
      }),
  );
});

describe("the directory for unfinished work", () => {
  it("is the user's own", () => {
    if (isPosix) expect(cacheRoot({ XDG_CACHE_HOME: "/cache" })).toBe("/cache/archive-frames");
    expect(cacheRoot({ XDG_CACHE_HOME: "relative" })).not.toMatch(/^relative/);
    expect(cacheRoot({})).toMatch(/archive-frames$/);
  });
});
