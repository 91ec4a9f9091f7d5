import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { SAVE_FORMATS } from "../../src/files/saveFormat.js";
import { ArchiveError, pl, saveFrame } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { IMPOSTORS } from "../fs/impostors.js";
import { give, isRoot, STRANGER, users } from "../fs/users.js";
import { LONG } from "../scale.js";
import { onceAt, pagedArchive, startPagedServer } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";

const FRAME = pl.DataFrame({ year: pl.Series("year", [2023, 2024], pl.Int32), text: ["a", "b"] });
const QUERY = { query: "climate" };
const mode = (path: string) => lstatSync(path).mode & 0o777;

/** All entries of a directory, links included, which must be the same after an attack. */
function contents(path: string): unknown {
  const stats = lstatSync(path);
  if (stats.isDirectory())
    return Object.fromEntries(readdirSync(path).map((name) => [name, contents(join(path, name))]));
  return stats.isFile() ? readFileSync(path, "utf8") : `${stats.mode} ${stats.ino}`;
}

/** A path below a folder, which is there. */
function placed(folder: string, name: string): string {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  return join(folder, name);
}

function files(folder: string, of: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(of)) writeFileSync(placed(folder, name), text);
  return folder;
}

const GENUINE = /^(?:journal|marker)$/;

// The superuser, for whom the system refuses nothing, only in the long form.
describe.skipIf(process.platform === "win32").each(LONG ? users : users.slice(-1))(
  "for $name",
  ({ run, folder, uid }) => {
    afterEach(() => {
      vi.unstubAllEnvs();
      process.umask(0o022);
    });
    // The modules that are loaded when they are needed may lie where an ordinary user cannot read.
    beforeAll(async () => {
      const path = folder();
      await saveFrame(FRAME, join(path, "a.csv"));
      await using server = await startPagedServer({ rows: 3 });
      await using archive = clientTo(server);
      for (const extension of SAVE_FORMATS) await archive.save("mentions", join(path, `b.${extension}`), QUERY);
      process.umask(0o022);
    });

    /** Saves where something was planted: it is refused, the path is named, and everything is as it was. */
    async function refuses(root: string, path: string, planted = `${path}.partial`): Promise<ArchiveError> {
      const before = contents(root);
      const error = await run(() => errorOf(saveFrame(FRAME, path), ArchiveError));
      expect(error.code).toBe("UNSAFE_PATH");
      expect(error.message).toContain(planted);
      expect(contents(root)).toEqual(before);
      return error;
    }

    /** A save that stopped after 400 rows, whose staging directory was left. */
    async function stopped(name = "climate.csv", root = folder()): Promise<{ root: string; path: string }> {
      const path = join(root, name);
      const instead = onceAt(400, { status: 403 });
      const { archive } = await pagedArchive({ rows: 430, unnumbered: true, instead });
      await run(() => errorOf(archive.save("mentions", path, QUERY), Error));
      expect(readdirSync(`${path}.partial`).every((entry) => GENUINE.test(entry))).toBe(true);
      return { root, path };
    }

    it.each(Object.entries(IMPOSTORS).filter(([name]) => name !== "a folder"))(
      "%s is not the staging directory",
      async (what, plant) => {
        const root = folder();
        const path = join(root, "climate.csv");
        await run(() => {
          files(root, { "mine/thesis.txt": "years of work", "mine/output.csv": "mine", "mine/lock": "mine" });
          chmodSync(join(root, "mine"), 0o700);
          plant(`${path}.partial`, join(root, what === "a hard link" ? "mine/thesis.txt" : "mine"));
        });
        await refuses(root, path);
      },
    );

    it.each([
      ["own files", { "thesis.txt": "years of work" }],
      ["names that we use", { journal: "mine", "output.csv": "mine", "scratch/x": "mine" }],
      ["the lock of a dead process and a file", { lock: "{}", "output.csv": "mine" }],
      ["a marker from elsewhere", { marker: '{"madeBy":"archive-frames","inode":"1","born":"1"}', journal: "planted" }],
      ["a hostile marker", { marker: "[".repeat(900), journal: "planted" }],
      ["a large marker", { marker: " ".repeat(2000), journal: "planted" }],
    ] as const)("a directory with %s is not accepted as staging directory", async (_what, inside) => {
      for (const permissions of [0o755, 0o700]) {
        const root = folder();
        const path = join(root, "climate.csv");
        await run(() => {
          mkdirSync(`${path}.partial`);
          files(`${path}.partial`, inside as Readonly<Record<string, string>>);
          chmodSync(`${path}.partial`, permissions);
        });
        if ("marker" in inside && inside.marker.length > 1000) {
          const error = await run(() => errorOf(saveFrame(FRAME, path), ArchiveError));
          expect(error.path).toBe(join(`${path}.partial`, "marker"));
        } else await refuses(root, path);
      }
    });

    it("an empty directory is accepted only in the state that a kill leaves", async () => {
      const root = folder();
      const path = join(root, "climate.csv");
      await run(() => mkdirSync(`${path}.partial`, 0o755));
      await refuses(root, path);
      await run(() => chmodSync(`${path}.partial`, 0o700));
      await run(() => saveFrame(FRAME, path));
      expect(readdirSync(root).sort()).toEqual(["climate.csv", "datapackage.json"]);
    });

    it("a copied or unpacked staging directory is not accepted", async () => {
      const { root, path } = await stopped();
      expect([mode(`${path}.partial`), mode(`${path}.partial/journal`), statSync(`${path}.partial`).uid]).toEqual([
        0o700,
        0o600,
        uid,
      ]);
      await run(() => {
        cpSync(`${path}.partial`, join(root, "other.csv.partial"), { recursive: true, preserveTimestamps: true });
        chmodSync(join(root, "other.csv.partial"), 0o700);
      });
      await refuses(root, join(root, "other.csv"));
    });

    it("a staging directory with foreign entries is left unchanged", async () => {
      const { root, path } = await stopped();
      await run(() => files(`${path}.partial`, { "thesis.txt": "years of work" }));
      await refuses(root, path, `${path}.partial/thesis.txt`);
      await run(() => rmSync(`${path}.partial/thesis.txt`));
      for (const loose of [0o770, 0o707]) {
        await run(() => chmodSync(`${path}.partial`, loose));
        await refuses(root, path);
      }
    });

    it("everything in a staging directory is for this user only, and its rights are restored", async () => {
      const root = folder();
      const entries = (path: string) =>
        (readdirSync(path, { recursive: true }) as string[]).map((name) => {
          const stats = lstatSync(join(path, name));
          return [name, stats.mode & 0o777, stats.isDirectory() ? 0o700 : 0o600] as const;
        });
      for (const name of SAVE_FORMATS.map((extension) => `a.${extension}`)) {
        const path = join(root, name);
        let seen: ReturnType<typeof entries> = [];
        const { archive } = await pagedArchive({
          rows: 430,
          unnumbered: true,
          instead: (offset) => {
            if (offset === 100) {
              // What a careless backup or `chmod -R` does.
              chmodSync(`${path}.partial`, 0o755);
              seen = entries(`${path}.partial`);
            }
            return offset >= 400 ? { status: 403 } : undefined;
          },
        });
        process.umask(0);
        await run(() => errorOf(archive.save("mentions", path, QUERY), Error));
        expect(seen.filter(([, mode, wanted]) => mode !== wanted)).toEqual([]);
        expect(seen.map(([file]) => file)).toEqual(expect.arrayContaining(["journal", "lock", "marker"]));
        chmodSync(`${path}.partial`, 0o755);
        await run(() => errorOf(archive.save("mentions", path, QUERY), Error));
        expect([name, mode(`${path}.partial`)]).toEqual([name, 0o700]);
      }
    });

    it("names in a received directory have no effect on the terminal", async () => {
      const root = folder();
      await run(() => {
        mkdirSync(join(root, "climate.csv.partial"));
        writeFileSync(join(root, "climate.csv.partial", "\u001b[2J\u202e"), "");
      });
      const { message } = await run(() => errorOf(saveFrame(FRAME, join(root, "climate.csv")), ArchiveError));
      expect(message).toContain("\\u001b[2J\\u202e");
      expect(message).not.toMatch(/[\p{Cc}\u202e]/u);
    });

    it.each(Object.entries(IMPOSTORS))("a journal that is %s is not written", async (_what, plant) => {
      const { root, path } = await stopped("climate.jsonl");
      const journal = `${path}.partial/journal`;
      await run(() => {
        files(root, { ".ssh/authorized_keys": "ssh-ed25519 mine" });
        chmodSync(join(root, ".ssh/authorized_keys"), 0o600);
        rmSync(journal);
        plant(journal, join(root, ".ssh/authorized_keys"));
      });
      const before = contents(root);
      const { server, archive } = await pagedArchive({ rows: 430 });
      const error = await run(() => errorOf(archive.save("mentions", path, QUERY), ArchiveError));
      expect([error.code, error.path]).toEqual(["UNSAFE_PATH", journal]);
      expect(server.requests).toHaveLength(0);
      expect(contents(root)).toEqual(before);
    });

    it.each(["a dangling link", "a FIFO"])("a lock that is %s is refused without waiting", async (what) => {
      const { root, path } = await stopped();
      await run(() => IMPOSTORS[what]?.(`${path}.partial/lock`, root));
      await refuses(root, path, `${path}.partial/lock`);
    });

    it.each([
      ["datapackage.json", "a link"],
      ["datapackage.json", "a FIFO"],
      [".datapackage.json.lock", "a dangling link"],
      [".datapackage.json.lock", "a FIFO"],
    ])("%s that is %s is refused", async (name, what) => {
      const root = folder();
      const victim = join(root, "victim.json");
      await run(() => {
        writeFileSync(victim, '{"resources":[]}');
        IMPOSTORS[what]?.(join(root, name), victim);
      });
      const error = await run(() => errorOf(saveFrame(FRAME, join(root, "a.csv")), ArchiveError));
      expect([error.code, error.path]).toEqual(["UNSAFE_PATH", join(root, name)]);
      expect(readFileSync(victim, "utf8")).toBe('{"resources":[]}');
    });

    it("a finished file has the mode of any new file, or of the one it replaces", async () => {
      for (const [umask, wanted] of [
        [0o022, 0o644],
        [0o002, 0o664],
        [0o077, 0o600],
      ] as const) {
        const root = folder();
        process.umask(umask);
        for (const name of SAVE_FORMATS.map((extension) => `a.${extension}`)) {
          const path = join(root, name);
          await run(() => saveFrame(FRAME, path));
          expect([name, mode(path)]).toEqual([name, wanted]);
          await run(() => chmodSync(path, 0o640));
          await run(() => saveFrame(FRAME, path));
          expect([name, mode(path)]).toEqual([name, 0o640]);
        }
        expect(mode(join(root, "datapackage.json"))).toBe(wanted);
      }
    });

    it("a directory that a group shares works", async () => {
      const root = folder();
      chmodSync(root, 0o2775);
      await run(() => saveFrame(FRAME, join(root, "a.csv")));
      expect(readdirSync(root).sort()).toEqual(["a.csv", "datapackage.json"]);
    });

    it("replacing the path of an unfinished file changes nothing elsewhere", async () => {
      /** Saves, and does something after the first page. */
      const during = async (path: string, options: object, attack: () => void) => {
        const { archive } = await pagedArchive({
          rows: 150,
          unnumbered: true,
          instead: (offset) => {
            if (offset === 100) attack();
            return undefined;
          },
        });
        return await run(() => errorOf(archive.save("mentions", path, { ...QUERY, ...options }), ArchiveError));
      };
      const root = folder();
      // The attacks come from the server of this process, which the user runs as well.
      const path = join(root, "a.csv");
      const mine = files(join(root), {
        "mine/output.csv": "mine",
        "mine/journal": "mine",
        "mine/lock": "mine",
        "mine/marker": "",
      });
      const replaced = await during(path, {}, () => {
        renameSync(`${path}.partial`, join(root, "moved"));
        symlinkSync("mine", `${path}.partial`);
      });
      expect(replaced).toBeInstanceOf(ArchiveError);
      expect(contents(join(mine, "mine"))).toEqual({ "output.csv": "mine", journal: "mine", lock: "mine", marker: "" });
      expect(existsSync(path)).toBe(false);
    });

    describe.skipIf(!isRoot)("next to another user", () => {
      /** A folder like /tmp: everybody makes files there, and nobody renames those of others. */
      function shared(): string {
        const root = folder();
        chmodSync(root, 0o1777);
        return root;
      }

      it("a staging directory of the other user is refused, with the journal in it", async () => {
        const { root, path } = await stopped("climate.csv", shared());
        for (const name of ["", "journal", "marker"]) give(STRANGER, join(`${path}.partial`, name));
        for (const permissions of [0o755, 0o777]) {
          chmodSync(`${path}.partial`, permissions);
          chmodSync(`${path}.partial/journal`, 0o644);
          await refuses(root, path);
        }
      });

      it("a journal of the other user is refused", async () => {
        const { path } = await stopped("climate.jsonl", shared());
        give(STRANGER, `${path}.partial/journal`);
        chmodSync(`${path}.partial/journal`, 0o644);
        const { archive } = await pagedArchive({ rows: 430 });
        const error = await run(() => errorOf(archive.save("mentions", path, QUERY), ArchiveError));
        expect([error.code, error.path]).toEqual(["UNSAFE_PATH", `${path}.partial/journal`]);
        expect(existsSync(path)).toBe(false);
      });

      it("a link of the other user is not followed", async () => {
        const root = shared();
        await run(() => files(root, { "mine/thesis.csv": "years of work" }));
        symlinkSync("mine/thesis.csv", join(root, "climate.csv"));
        give(STRANGER, join(root, "climate.csv"));
        await refuses(root, join(root, "climate.csv"), join(root, "climate.csv"));
      });

      it("a replaced file of the other user does not pass on its mode", async () => {
        const root = folder();
        const path = join(root, "a.csv");
        writeFileSync(path, "planted");
        chmodSync(path, 0o666);
        give(STRANGER, path);
        await run(() => saveFrame(FRAME, path));
        expect([mode(path), lstatSync(path).uid]).toEqual([0o644, uid]);
      });
    });
  },
);
