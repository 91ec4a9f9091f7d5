import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { pl, saveFrame, VERSION } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { sha256Of } from "../files/sha256Of.js";
import { temporaryFolder } from "../files/temporary.js";
import { startPagedServer } from "../scan/pagedServer.js";
import { callCommand, failedWith } from "./callCommand.js";

const root = temporaryFolder();
const cite = (...args: string[]) => callCommand(root, ["cite", ...args]);
const sha256 = (file: string) => sha256Of(join(root, file));
let baseUrl = "";
let today = "";

beforeAll(async () => {
  await using server = await startPagedServer({ rows: 1230 });
  await using archive = clientTo(server);
  baseUrl = server.baseUrl;
  const query = 'climate {50%} & "\\x" #1_a~^';
  await archive.save("mentions", join(root, "a.csv"), { query });
  await archive.save("mentions", join(root, "a.parquet"), { query: "climate", maxItems: 1 });
  const few = await archive.mentions("climate", { maxItems: 100 });
  await saveFrame(few.filter(pl.col("id").isNotNull()).head(3), join(root, "few.parquet"));
  await saveFrame(pl.DataFrame({ a: [1] }), join(root, "mine.csv"));
  today = JSON.parse(readFileSync(join(root, "datapackage.json"), "utf8")).resources[0].provenance.retrieved;
});

describe("archive-frames cite", () => {
  it("prints a sentence with the search, the date and the hash", async () => {
    expect(await cite("a.csv")).toEqual({
      status: 0,
      stderr: "",
      stdout: `Archive Search Service, ${baseUrl}: mentions (query: "climate {50%} & “\\x” #1_a~^"), 1,230 rows, complete. Retrieved ${today} with archive-frames ${VERSION}. a.csv, SHA-256 ${sha256("a.csv")}.\n`,
    });
    expect((await cite("few.parquet")).stdout).toContain('mentions (query: "climate"), 3 rows, capped (maxItems)');
    expect((await cite("./a.parquet")).stdout).toContain('mentions (query: "climate"), 1 row, capped (maxItems)');
  });

  it("prints a BibTeX entry with TeX characters escaped", async () => {
    const { stdout, status } = await cite("--bibtex", join(root, "a.csv"));
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("@misc{a-csv,");
    expect(lines[1]).toBe(
      String.raw`  title = {mentions (query: "climate \textbraceleft{}50\%\textbraceright{} \& ${"``"}\textbackslash{}x'' \#1\_a\textasciitilde{}\textasciicircum{}")},`,
    );
    expect(lines.at(-1)).toBe("}");
    expect(stdout).toContain(`  author = {{Archive Search Service, ${baseUrl}}},`);
    expect(stdout).toContain(`  year = {${today.slice(0, 4)}},`);
    expect(stdout).toContain(`SHA-256 ${sha256("a.csv")}`);
  });

  it("rejects changed, unknown and missing files, and two forms", async () => {
    const text = readFileSync(join(root, "a.csv"), "utf8");
    writeFileSync(join(root, "a.csv"), `${text}\n`);
    expect(await cite("a.csv")).toEqual(failedWith(/has changed since it was saved: .*cite the file that/));
    writeFileSync(join(root, "a.csv"), text);
    expect(await cite("a.csv")).toMatchObject({ status: 0 });
    expect(await cite("mine.csv")).toEqual(failedWith(/^ArchiveError \(FILE_ERROR\): The provenance of/));
    expect(await cite("nothing.csv")).toEqual(failedWith(/does not exist/));
    expect(await cite("a.csv", "--methods", "--bibtex")).toEqual(failedWith(/cannot be used with option '--bibtex'/));
  });

  it("trusts no foreign description, and escapes it for TeX", async () => {
    const dir = join(root, "other");
    mkdirSync(dir);
    const { provenance } = JSON.parse(readFileSync(join(root, "datapackage.json"), "utf8")).resources[0];
    const evil = "}}\n\\input{/etc/passwd}";
    const resources = Object.entries({
      "text.csv": "from somewhere",
      "half.csv": { operation: "mentions" },
      "evil.csv": { ...provenance, source: evil, operation: evil, version: evil, parameters: { [evil]: evil } },
    }).map(([path, of]) => ({ name: path, path, provenance: of }));
    for (const { path } of resources) writeFileSync(join(dir, path), "a\n1\n");
    writeFileSync(join(dir, "datapackage.json"), JSON.stringify({ resources }));
    for (const name of ["text.csv", "half.csv"])
      expect(await cite(`other/${name}`)).toEqual(failedWith(/The provenance of .* is unknown/));
    const { status, stdout } = await cite("other/evil.csv", "--bibtex");
    expect(status).toBe(0);
    expect(stdout).not.toContain("\\input");
    expect(stdout.match(/^\}/gm)).toHaveLength(1);
  });
});
