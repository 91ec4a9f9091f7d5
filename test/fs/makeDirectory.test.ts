import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { newFolders, temporaryFolder } from "../files/temporary.js";
import { runProcess } from "../runProcess.js";

const newFolder = newFolders(temporaryFolder());
const TIMES = 10;

/** Saves a file below each directory, in step with the other processes: they meet at some level of most of them. */
const SCRIPT = `
import { mkdirSync, readdirSync } from "node:fs";
const { saveFrame, toDataFrame } = await import(${JSON.stringify(pathToFileURL("dist/index.js").href)});
const [processes, gates, ...directories] = process.argv.slice(1);
for (const [time, directory] of directories.entries()) {
  mkdirSync(gates + "/" + time + "-" + process.pid);
  while (readdirSync(gates).filter((name) => name.startsWith(time + "-")).length < Number(processes));
  await saveFrame(toDataFrame([{ a: 1 }]), directory + "/" + process.pid + ".csv").catch((error) => console.error(error.message));
}`;

it("processes create the same directories at the same time", async () => {
  const directories = Array.from({ length: TIMES }, () => join(newFolder(), ...Array<string>(100).fill("d")));
  const gates = newFolder();
  const run = () => runProcess(process.execPath, ["--input-type=module", "-e", SCRIPT, "2", gates, ...directories]);
  const ended = await Promise.all([run(), run()]);
  expect(ended.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  for (const directory of directories)
    expect(readdirSync(directory).filter((name) => name.endsWith(".csv"))).toHaveLength(2);
});
