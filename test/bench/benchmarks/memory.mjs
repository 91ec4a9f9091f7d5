import { child } from "../child.mjs";
import { median, ratio, rounds } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atMost, figure } from "../table.mjs";

const FEW = 100_000;
const MANY = 1_000_000;

/** Peak memory of a fresh process: batches that are discarded, and rows that are collected. */
export default async function memory() {
  return [...(await batches()), ...(await collected())];
}

async function batches() {
  const few = await startServer({ total: FEW, pageRows: 1000 });
  const many = await startServer({ total: MANY, pageRows: 1000 });
  const peakOf =
    (how, { url }, rows) =>
    async () =>
      (await child("memoryOnce.mjs", how, url, rows)).peakMb;
  const peaks = await rounds(
    {
      few: peakOf("batches", few, FEW),
      many: peakOf("batches", many, MANY),
      fewPlain: peakOf("plain", few, FEW),
      plain: peakOf("plain", many, MANY),
      fewDownload: peakOf("download", few, FEW),
      download: peakOf("download", many, MANY),
    },
    3,
  );
  few.stop();
  many.stop();
  const grown = ratio(peaks.many, peaks.few);
  const peak = median(peaks.many);
  return [
    figure("batches of 100,000 rows, peak", median(peaks.few), "MB"),
    figure("batches of 1,000,000 rows, peak", peak, "MB", { most: 190 }),
    { what: "ten times the rows", ratio: grown, goal: atMost(1.1, grown, "×") },
    figure("  a plain loop that makes each page a frame", median(peaks.plain), "MB"),
    { what: "  the same, ten times the rows", ratio: ratio(peaks.plain, peaks.fewPlain) },
    figure("  the download alone", median(peaks.download), "MB"),
    { what: "  the download, ten times the rows", ratio: ratio(peaks.download, peaks.fewDownload) },
  ];
}

async function collected() {
  const server = await startServer({ total: FEW, pageRows: 1000 });
  const runs = [];
  await rounds({ collect: async () => runs.push(await child("memoryOnce.mjs", "collect", server.url, FEW)) });
  server.stop();
  const [base, frame, peak] = ["baseMb", "frameMb", "peakMb"].map((what) => median(runs.map((run) => run[what])));
  return [
    figure("100,000 rows collected, peak", peak, "MB", { most: 180 }),
    figure("the frame", frame, "MB"),
    figure("the process before the first request", base, "MB"),
  ];
}
