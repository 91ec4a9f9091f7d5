import { readFileSync, writeFileSync } from "node:fs";
import { agreement, codebook, codingPage, readCodes, sampleRows } from "archive-frames/coding";
import pl from "nodejs-polars";
import { generator } from "../generator.mjs";
import { measure, median } from "../rounds.mjs";
import { short } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const ROWS = 10_000;
const CODED = 1_000;
const ROUNDS = 3;

/** The CPU time of each function of `archive-frames/coding`: 1,000 of 10,000 passages, coded by two people. */
export default async function coding() {
  const random = generator(7);
  const words = "the climate act costs jobs and we support or oppose it in this chamber today".split(" ");
  const text = () => Array.from({ length: 80 }, () => words[Math.floor(random() * words.length)]).join(" ");
  const frame = pl.DataFrame({
    id: Array.from({ length: ROWS }, (_, at) => String(at)),
    text: Array.from({ length: ROWS }, text),
    party: Array.from({ length: ROWS }, (_, at) => "DR"[at % 2]),
  });
  const book = codebook({ stance: ["support", "oppose", "neither"] });
  const coder = ({ row }) => ({ stance: book.variables[0].values[row.charCodeAt(row.length - 1) % 3] });
  const times = new Map();
  const timed = async (name, run) => {
    const { cpu, result } = await measure(run);
    times.set(name, [...(times.get(name) ?? []), cpu]);
    return result;
  };
  for (let round = 0; round < ROUNDS; round++) {
    await withFolder(async (root) => {
      const sample = await timed("sampleRows", () => sampleRows(frame, { rows: CODED }));
      const pages = await timed("codingPage", () => codingPage(sample, book, root, { coders: ["A", "B"] }));
      for (const [at, page] of pages.entries())
        writeFileSync(page.replace("html", "csv"), exported(page, book, at, coder));
      const codes = await timed("readCodes", () => readCodes(root, sample, book));
      await timed("agreement", () => agreement(codes, { book }));
    });
  }
  return [...times].map(([what, own]) => ({ what, median: `${short(median(own))} ms of CPU` }));
}

/** What a coder exports; the second one differs in every tenth passage. */
function exported(page, book, second, coder) {
  const { coder: name, passages } = JSON.parse(/id="data">(.*?)<\/script>/s.exec(readFileSync(page, "utf8"))[1]);
  const lines = passages.map(({ row }, at) => {
    const stance = second && at % 10 === 0 ? "neither" : coder({ row }).stance;
    return `${name},${book.hash},${row},${stance},2026-01-01`;
  });
  return ["coder,codebook,row,stance,coded_at", ...lines].join("\n");
}
