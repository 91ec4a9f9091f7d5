import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ArchiveClient, provenanceOf } from "../../../dist/index.js";
import { all, median, ratio, rounds, timed } from "../rounds.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const LATENCY = 40;
const ROUNDS = 3;
const PLAIN_PAGE = 20;
/** Spoken of in over 500 speeches each. */
const FAMOUS = [
  { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
  { title: "Infrastructure Investment and Jobs Act", number: "H.R. 3684", congress: 117 },
  { title: "Artificial Intelligence Research and Accountability Act", number: "S. 2714", congress: 118 },
];

/** Speeches on a bill, at a slow service: ours against one request after another, in pages of the service's own size. */
export default async function speeches() {
  const child = fork(fileURLToPath(import.meta.url), [String(LATENCY)]);
  const [archive] = await once(child, "message");
  // The first answers make the corpus, which is no business of either.
  await ours(archive, FAMOUS[0]);
  const lines = [];
  for (const bill of FAMOUS) {
    const asked = { ours: [], plain: [] };
    const contender = (name, run) => timed(async () => void asked[name].push(await run(archive, bill)));
    const times = await rounds({ ours: contender("ours", ours), plain: contender("plain", plain) }, ROUNDS);
    const [{ rows, found, requests }, plainly] = [compared(bill, asked.ours, asked.plain), asked.plain[0].requests];
    const faster = ratio(all(times.plain, "ms"), all(times.ours, "ms"));
    const share = requests / plainly;
    lines.push(
      { what: `${bill.title}, ${rows} of ${found} speeches`, median: `${short(median(all(times.ours, "ms")))} ms` },
      {
        what: "  one after another",
        median: `${short(median(all(times.plain, "ms")))} ms`,
        ratio: faster,
        goal: atLeast(6, faster, "× ours"),
      },
      {
        what: `  requests, where one after another takes ${plainly}`,
        median: String(requests),
        ratio: share,
        goal: atMost(found > 500 ? 0.5 : 1, share, "× as many"),
      },
    );
  }
  const shares = [];
  for (const bill of await someBills(archive)) {
    const [one, other] = [await ours(archive, bill), await plain(archive, bill)];
    shares.push(compared(bill, [one], [other]).requests / other.requests);
  }
  const most = Math.max(...shares);
  lines.push({
    what: `${shares.length} bills that few speak of: requests, at most`,
    ratio: most,
    goal: atMost(1, most, "× as many"),
  });
  child.kill();
  return lines;
}

/** What ours found, and with how many requests at most; both have to find the same speeches. */
function compared({ title }, ours, plain) {
  const [{ rows, found }] = ours;
  if (plain.some((one) => one.rows !== rows)) throw new Error(`${title}: not the same speeches`);
  return { rows, found, requests: Math.max(...ours.map((one) => one.requests)) };
}

/** Every tenth bill that the archive lists, until there are eight. */
async function someBills({ baseUrl, apiKey }) {
  const archive = new ArchiveClient({ baseUrl, apiKey });
  const rows = await archive.bills("Act", { maxItems: 80, format: "records" });
  await archive.close();
  return rows
    .filter((_row, at) => at % 10 === 5)
    .map(({ billtitle, billnumber, congress, link }) => ({
      title: billtitle,
      number: `${link.includes("/hr") ? "H.R." : "S."} ${billnumber}`,
      congress,
    }));
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
