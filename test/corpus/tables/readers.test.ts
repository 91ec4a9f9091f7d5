import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runs } from "../../scale.js";
import { corpusOf } from "../corpora.js";
import { startCorpusService } from "../corpusServer.js";
import { versionRows } from "./versionRows.js";

const MONTHS = 6;
const READER = fileURLToPath(new URL("readers.mjs", import.meta.url));

it("readers in other processes see whole tables only, while they are derived", async () => {
  await using service = await startCorpusService(versionRows(0, MONTHS));
  const searches = [{ query: "v", mindate: "2024-01-01", maxdate: "2024-12-31" }];
  const corpus = await corpusOf(service, { searches, lookups: [] });
  await corpus.build();
  const child = spawn(process.execPath, [READER, corpus.dir], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("ready");
    for (let version = 1; version <= runs(8, 300); version++) {
      service.rows = versionRows(version, MONTHS);
      await corpus.refresh({ lag: "4000d" });
    }
    child.stdin.write("stop\n");
    const found = JSON.parse((await lines.next()).value as string);
    expect(found).toMatchObject({ errors: [], torn: [], shrunk: [] });
    expect(found.reads).toBeGreaterThan(2);
  } finally {
    child.kill();
  }
});
