// Takes a lock again and again, beside others: node lockOften.mjs <folder> <seconds> <dies>
// Prints how often it had the lock, and how often somebody else had it at the same time.
import { rmSync, writeFileSync } from "node:fs";
import { processLock } from "../../dist/fs/processLock.js";

const [folder, seconds, dies] = process.argv.slice(2);
let [held, doubled] = [0, 0];
for (const until = Date.now() + Number(seconds) * 1000; Date.now() < until; ) {
  let release;
  try {
    release = processLock(`${folder}/lock`, "a.csv");
  } catch (error) {
    if (error.code !== "TARGET_BUSY") throw error;
    continue;
  }
  held++;
  try {
    writeFileSync(`${folder}/inside`, "", { flag: "wx" });
  } catch {
    doubled++;
  }
  // Who dies with the lock leaves it to be taken over.
  if (dies === "dies" && held === 20) {
    rmSync(`${folder}/inside`, { force: true });
    break;
  }
  rmSync(`${folder}/inside`, { force: true });
  release();
}
process.stdout.write(JSON.stringify({ held, doubled }));
