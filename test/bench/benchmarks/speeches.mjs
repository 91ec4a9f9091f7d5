import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ArchiveClient, provenanceOf } from "../../../dist/index.js";
import { median, ratio, rounds, timed } from "../rounds.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const LATENCY = 40;
const PLAIN_PAGE = 20;
/** Spoken of in over 500 speeches each, and one that few spoke of. */
const BILLS = [
  { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
  { title: "Infrastructure Investment and Jobs Act", number: "H.R. 3684", congress: 117 },
  { title: "Artificial Intelligence Research and Accountability Act", number: "S. 2714", congress: 118 },
  { title: "School Safety Transparency Act", number: "H.R. 1116", congress: 113 },
];

/** Speeches on a bill, at a slow service: ours against one request after another, in pages of the service's own size. */
export default async function speeches() {
  const child = fork(fileURLToPath(import.meta.url), [String(LATENCY)]);
  const [archive] = await once(child, "message");
  const lines = [];
  for (const [at, bill] of BILLS.entries()) {
    // The first answers make the corpus, which is no business of either.
    if (at === 0) await ours(archive, bill);
    const asked = { ours: [], plain: [] };
    const contender = (name, run) =>
      timed(async () => {
        asked[name].push(await run(archive, bill));
      });
    const times = await rounds({ ours: contender("ours", ours), plain: contender("plain", plain) }, at === 0 ? 3 : 1);
    const { rows } = asked.ours[0];
    if (asked.plain.some((one) => one.rows !== rows)) throw new Error(`${bill.title}: not the same speeches`);
    const faster = ratio(times.plain, times.ours);
    const requests = Math.max(...asked.ours.map((one) => one.requests));
    const plainly = asked.plain[0].requests;
    lines.push(
      { what: `${bill.title}, ${rows} of ${asked.ours[0].found} speeches`, median: `${short(median(times.ours))} ms` },
      {
        what: "  one after another",
        median: `${short(median(times.plain))} ms`,
        ratio: faster,
        goal: atLeast(6, faster, "× ours"),
      },
      {
        what: `  requests (one after another: ${plainly})`,
        median: String(requests),
        ratio: requests / plainly,
        goal: atMost(asked.ours[0].found > 500 ? 0.5 : 1, requests / plainly, "× as many"),
      },
    );
  }
  child.kill();
  return lines;
}

/** Ours, with a client that knows nobody yet. `found` counts the speeches of everybody. */
async function ours({ baseUrl, apiKey }, bill) {
  const archive = new ArchiveClient({ baseUrl, apiKey });
  const frame = await archive.speechesOnBill(bill);
  await archive.close();
  const { requests, speeches } = provenanceOf(frame);
  return { rows: frame.height, requests, found: speeches.variants.reduce((sum, variant) => sum + variant.new, 0) };
}

/** The plain way: each search to its end, then each speaker, one request at a time. */
async function plain({ baseUrl, apiKey }, { title, number, congress }) {
  let requests = 0;
  const ask = async (path, parameters = {}) => {
    requests++;
    const url = `${baseUrl}${path}?${new URLSearchParams(parameters)}`;
    return (await fetch(url, { headers: { "x-api-key": apiKey } })).json();
  };
  const begin = 1789 + 2 * (congress - 1);
  const digits = number.replace(/\D/g, "");
  const forms = number.startsWith("H") ? ["H.R.", "HR", "H R"] : ["S.", "S"];
  const found = new Map();
  for (const query of [title, ...forms.map((form) => `${form} ${digits}`)]) {
    for (const videotype of ["Speech", "Debate"]) {
      const dates = { mindate: `${begin}-01-03`, maxdate: `${begin + 2}-01-03` };
      for (let cursor = {}; ; ) {
        const parameters = { query: `"${query}"`, videotype, limit: PLAIN_PAGE, ...dates, ...cursor };
        const page = await ask("/mentions", parameters);
        if (page.mentions === undefined) break;
        for (const row of page.mentions) found.set(row.id, row);
        cursor = { cursor: page.cursor };
      }
    }
  }
  const titles = new Map();
  let rows = 0;
  for (const { personid } of found.values()) {
    if (personid === undefined || personid === 999_999) continue;
    if (!titles.has(personid)) titles.set(personid, (await ask(`/people/${personid}`)).people?.[0]?.title ?? "");
    if (titles.get(personid).includes("Senator")) rows++;
  }
  return { rows, requests };
}

// The archive runs in a process of its own: this file, started again.
if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const { startEmbeddedArchive } = await import("../../../dist/embedded/index.js");
  const { baseUrl, apiKey } = await startEmbeddedArchive({ latency: Number(process.argv[2]) });
  process.send({ baseUrl, apiKey });
  process.on("disconnect", () => process.exit());
}
