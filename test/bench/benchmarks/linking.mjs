import { ArchiveClient, provenanceOf } from "../../../dist/index.js";
import { startArchive } from "../startArchive.mjs";
import { atLeast, atMost, short } from "../table.mjs";
// The measuring code is that of the tests.
import "../../tools/typescript.mjs";

const { byNumber, byRow, byTitle, byTitleAndNumber, figuresOf, hardOf, link, mistakesOf } = await import(
  "../../speeches/linking/linking.ts"
);
const { asRows, findPassages, PASSAGES } = await import("../../speeches/linking/passages.ts");
const { Corpus, truthOf } = await import("../../tools/truth.ts");

/** Nothing was developed on these seeds. `SEEDS=301,302 EVERY=4` measures others alone, on every fourth bill. */
const SEEDS = process.env.SEEDS?.split(",").map(Number);
const HELD_OUT = SEEDS ?? [101, 102, 103, 104, 105, 106];
const EVERY = Number(process.env.EVERY ?? 1);
const HELD_OUT_SIZE = 10_000;
const LIST = 200;

/** Which speeches on bills are found, and how many of those found are about the bill. */
export default async function linking() {
  if (SEEDS !== undefined) return await heldOut();
  const lines = [];
  const archive = await start(1, 30_000);
  const { bills } = archive.truth;
  const exact = await measure(lines, archive, "title and number", byTitleAndNumber(bills), [95, 97]);
  const rows = await measure(lines, archive, "row of bills()", byRow(bills), [93, 95]);
  await measure(lines, archive, "title only", byTitle(bills));
  await measure(lines, archive, "number only", byNumber(bills));
  lines.push({ what: "hard speeches, title and number", median: text(figuresOf(hardOf(exact))) });
  lines.push({ what: "hard speeches, row of bills()", median: text(figuresOf(hardOf(rows))) });
  lines.push(await asList(archive, byTitleAndNumber(bills).slice(0, LIST)));
  if (process.env.MISTAKES) {
    console.log("title and number", mistakesOf(exact, bills), "\nrow of bills()", mistakesOf(rows, bills));
  }
  archive.stop();
  lines.push(...(await heldOut()));
  for (const index of ["unicode", "spaces"]) {
    for (const [set, bills] of Object.entries(PASSAGES)) {
      for (const [what, given, goals] of [
        ["title and number", bills, [80, 95]],
        ["row of bills()", asRows(bills), [75, 92]],
      ].slice(set === "rows" ? 1 : 0)) {
        const figures = await findPassages(given, index);
        lines.push({ what: `labelled passages, ${set}, ${what}, words by ${index}`, median: text(figures) });
        lines.push({ what: "  recall", goal: atLeast(goals[0], 100 * figures.recall, "%") });
        lines.push({ what: "  precision", goal: atLeast(goals[1], 100 * figures.precision, "%") });
        lines.push({ what: "  requests per bill", goal: atMost(22, figures.requestsPerBill) });
      }
    }
  }
  return lines;
}

async function measure(lines, archive, what, tasks, [recall, precision] = []) {
  const client = clientOf(archive);
  const results = await link(tasks, (given) => ours(client, given));
  await client.close();
  const figures = figuresOf(results);
  lines.push({ what: `${what}, ${tasks.length} bills`, median: text(figures) });
  if (recall) {
    lines.push({ what: "  recall", goal: atLeast(recall, 100 * figures.recall, "%") });
    lines.push({ what: "  precision", goal: atLeast(precision, 100 * figures.precision, "%") });
  }
  return results;
}

/** Some seeds that nothing was developed on: the mean and the least. */
async function heldOut() {
  const [exact, rows] = [[], []];
  for (const seed of HELD_OUT) {
    const archive = await start(seed, HELD_OUT_SIZE);
    for (const [all, tasksOf] of [
      [exact, byTitleAndNumber],
      [rows, byRow],
    ]) {
      const client = clientOf(archive);
      const tasks = tasksOf(archive.truth.bills).filter((_task, at) => at % EVERY === 0);
      all.push(figuresOf(await link(tasks, (given) => ours(client, given))));
      await client.close();
    }
    archive.stop();
  }
  return [
    { what: `title and number, ${HELD_OUT.length} other seeds`, median: meanAndLeast(exact) },
    { what: `row of bills(), ${HELD_OUT.length} other seeds`, median: meanAndLeast(rows) },
  ];
}

function meanAndLeast(all) {
  const mean = (name) => all.reduce((sum, figures) => sum + figures[name], 0) / all.length;
  const shares = ["recall", "precision"].map((name) => {
    const least = Math.min(...all.map((figures) => figures[name]));
    return `${name} ${short(100 * mean(name))} % (least ${short(100 * least)})`;
  });
  return [...shares, `${short(mean("requestsPerBill"))} requests`].join(", ");
}

/** Many bills in one call. */
async function asList(archive, tasks) {
  const client = clientOf(archive);
  const frame = await client.speechesOnBill(
    tasks.map(({ given }) => given),
    { chamber: "any" },
  );
  await client.close();
  const key = ({ title, number, congress }) => JSON.stringify([title ?? null, number ?? null, congress]);
  const found = new Map(tasks.map(({ given }) => [key(given), []]));
  for (const { bill_title, bill_number, bill_congress, id } of frame.toRecords()) {
    found.get(key({ title: bill_title, number: bill_number, congress: bill_congress }))?.push(id);
  }
  const requests = provenanceOf(frame).requests / tasks.length;
  const results = tasks.map((task) => ({ task, ids: found.get(key(task.given)), requests }));
  return { what: `${tasks.length} bills in one call`, median: text(figuresOf(results)) };
}

async function ours(client, given) {
  const frame = await client.speechesOnBill(given, { chamber: "any" });
  return { ids: frame.getColumn("id").toArray(), requests: provenanceOf(frame).requests };
}

function text({ recall, precision, requestsPerBill }) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const f1 = recall + precision === 0 ? 0 : (2 * recall * precision) / (recall + precision);
  return `recall ${percent(recall)}, precision ${percent(precision)}, F1 ${percent(f1)}, ${short(requestsPerBill)} requests`;
}

function clientOf({ baseUrl, apiKey }) {
  return new ArchiveClient({ baseUrl, apiKey, progress: false });
}

/** An archive and its truth. */
async function start(seed, size) {
  return { ...(await startArchive({ seed, size })), truth: truthOf(new Corpus(seed, size)) };
}
