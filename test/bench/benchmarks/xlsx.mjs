import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { child } from "../child.mjs";
import { frameOf } from "../frameOf.mjs";
import { mentionPage } from "../mentionRows.mjs";
import { peakMb } from "../ownMemory.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { atMost, short } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const ROWS = 100_000;
const MANY = 500_000;
const FRAME_ROWS = 10_000;
const ROUNDS = 3;
const MB = 2 ** 20;

/** Workbooks of mentions, each written in a fresh process: by this package, and by the streaming writer of exceljs. */
export default () => withFolder(xlsx);

async function xlsx(folder) {
  const exceljs = await installExceljs(folder);
  const runs = { ours: [], exceljs: [] };
  const contender =
    (name, ...args) =>
    async () => {
      runs[name].push(await child("benchmarks/xlsx.mjs", name, folder, ROWS, ...args));
      return runs[name].at(-1).ms;
    };
  const times = await rounds(
    { ours: contender("ours"), ...(exceljs && { exceljs: contender("exceljs", exceljs) }) },
    ROUNDS,
  );
  const many = await child("benchmarks/xlsx.mjs", "ours", folder, MANY);
  const of = (name, what) => median(runs[name].map((run) => run[what]));
  const peak = of("ours", "peakMb");
  const grown = many.peakMb / peak;
  const lines = [
    { what: "100,000 mentions", median: `${short(median(times.ours))} ms` },
    { what: "  peak memory", median: `${short(peak)} MB`, goal: atMost(350, peak, "MB") },
    { what: "  the file", median: `${short(of("ours", "fileMb"))} MB` },
    { what: "  peak memory of five times the rows", ratio: grown, goal: atMost(1.2, grown, "×") },
  ];
  if (exceljs === undefined) return [...lines, { what: "exceljs cannot be installed here" }];
  const times100 = ratio(times.ours, times.exceljs);
  lines[0] = { ...lines[0], ratio: times100, goal: atMost(1, times100, "× exceljs") };
  return [
    ...lines,
    { what: "exceljs 4.4.0, streaming", median: `${short(median(times.exceljs))} ms` },
    { what: "  peak memory", median: `${short(of("exceljs", "peakMb"))} MB` },
    { what: "  the file", median: `${short(of("exceljs", "fileMb"))} MB` },
  ];
}

/** Installs exceljs, used only for this comparison, and returns its directory; undefined without a registry. */
async function installExceljs(folder) {
  const home = join(folder, "exceljs");
  mkdirSync(home);
  // Its dependencies fail to install without this override.
  const overrides = { "typedarray.prototype.slice": "1.0.5" };
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, overrides }));
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  await promisify(execFile)(npm, ["install", "--prefix", home, "--no-audit", "--no-fund", "exceljs@4.4.0"]).catch(
    () => {},
  );
  return existsSync(join(home, "node_modules", "exceljs")) ? home : undefined;
}

const WRITE = {
  async ours(path, frame, times) {
    const { writeXlsx } = await import("../../../dist/files/writers/xlsx/workbook.js");
    await writeXlsx(new Array(times).fill(frame), { path, scratch: path, name: "mentions" }, {});
  },
  async exceljs(path, frame, times, home) {
    const { stream } = createRequire(join(home, "package.json"))("exceljs");
    const book = new stream.xlsx.WorkbookWriter({ filename: path, useStyles: true });
    const sheet = book.addWorksheet("mentions", { views: [{ state: "frozen", ySplit: 1 }] });
    sheet.columns = frame.columns.map((header, at) => {
      const style = frame.dtypes[at].variant === "Datetime" ? { numFmt: "yyyy-mm-dd hh:mm:ss" } : {};
      return { header, key: header, width: 20, style };
    });
    for (let time = 0; time < times; time++) {
      for (const row of frame.rows()) sheet.addRow(row).commit();
      await turn();
    }
    sheet.commit();
    await book.commit();
  },
};

async function once(how, folder, rows, ...args) {
  const path = join(folder, `${how}.xlsx`);
  rmSync(path, { force: true });
  const frame = frameOf(mentionPage(0, FRAME_ROWS));
  const start = performance.now();
  await WRITE[how](path, frame, Number(rows) / FRAME_ROWS, ...args);
  const ms = performance.now() - start;
  return { ms, peakMb: peakMb(), fileMb: statSync(path).size / MB };
}

// Each workbook is written by a child process: this file, started again.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(JSON.stringify(await once(...process.argv.slice(2))));
}
