import { createClient } from "../../../dist/client.js";
import { ArchiveClient, provenanceOf } from "../../../dist/index.js";
import { all, median, ratio, rounds, timed } from "../rounds.mjs";
import { startArchive } from "../startArchive.mjs";
import { atLeast, atMost, short } from "../table.mjs";

const LATENCY = 40;
const ROUNDS = 3;
const PAGE = 20;
/** Each is mentioned in over 500 speeches. */
const POPULAR_BILLS = [
  { title: "Inflation Reduction Act", number: "H.R. 5376", congress: 117 },
  { title: "Infrastructure Investment and Jobs Act", number: "H.R. 3684", congress: 117 },
  { title: "Artificial Intelligence Research and Accountability Act", number: "S. 2714", congress: 118 },
];

/**
 * Speeches on a bill from a slow service: this package against sequential requests with the service's default page size. Both send
 * the same queries and count everything that they find.
 */
export default async function speeches() {
  const archive = await startSlowArchive();
  const lines = [];
  for (const bill of POPULAR_BILLS) {
    const results = { ours: [], sequential: [] };
    const contender = (name, run) => timed(async () => void results[name].push(await run(archive, bill)));
    const times = await rounds(
      { ours: contender("ours", ours), sequential: contender("sequential", sequential) },
      ROUNDS,
    );
    const [{ rows, found, requests }, sequentialRequests] = [
      compared(bill, results.ours, results.sequential),
      results.sequential[0].requests,
    ];
    const faster = ratio(all(times.sequential, "ms"), all(times.ours, "ms"));
    const share = requests / sequentialRequests;
    lines.push(
      { what: `${bill.title}, ${rows} of ${found} speeches`, median: `${short(median(all(times.ours, "ms")))} ms` },
      {
        what: "  sequential requests",
        median: `${short(median(all(times.sequential, "ms")))} ms`,
        ratio: faster,
        goal: atLeast(4, faster, "× ours"),
      },
      {
        what: `  requests, against ${sequentialRequests} sequential ones`,
        median: String(requests),
        ratio: share,
        goal: atMost(1, share, "× as many"),
      },
    );
  }
  const [shares, perBill, byDefault] = [[], [], []];
  for (const bill of await someBills(archive)) {
    const [one, other] = [await ours(archive, bill), await sequential(archive, bill)];
    shares.push(compared(bill, [one], [other]).requests / other.requests);
    perBill.push(one.requests);
    byDefault.push((await ours(archive, bill, {})).requests);
  }
  const most = Math.max(...shares);
  const mean = (numbers) => short(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);
  lines.push(
    {
      what: `${shares.length} rarely mentioned bills: requests, at most`,
      median: `${mean(perBill)} per bill`,
      ratio: most,
      goal: atMost(1, most, "× as many"),
    },
    { what: "  with all forms, judged (the default)", median: `${mean(byDefault)} per bill` },
  );
  archive.stop();
  return lines;
}

/** An archive that has generated its corpus: that must not count for either contender. */
async function startSlowArchive() {
  const archive = await startArchive({ latency: LATENCY });
  await ours(archive, POPULAR_BILLS[0]);
  return archive;
}

/** Our results and our maximum number of requests. Throws unless both contenders found the same speeches. */
function compared({ title }, ours, sequential) {
  const [{ rows, found }] = ours;
  if (sequential.some((one) => one.rows !== rows)) throw new Error(`${title}: the contenders found different speeches`);
  return { rows, found, requests: Math.max(...ours.map((one) => one.requests)) };
}

/** Every tenth of the first bills that the archive lists. */
async function someBills({ baseUrl, apiKey }, maxItems = 80) {
  const archive = new ArchiveClient({ baseUrl, apiKey });
  const rows = await archive.bills("Act", { maxItems, format: "records" });
  await archive.close();
  return rows
    .filter((_row, at) => at % 10 === 5)
    .map(({ billtitle, billnumber, congress, link }) => ({
      title: billtitle,
      number: `${link.includes("/hr") ? "H.R." : "S."} ${billnumber}`,
      congress,
    }));
}

/**
 * This package, with a client that has not looked up anyone yet. `found` counts the speeches before filtering by speaker.
 *
 * @param source the name of the archive, if its members of Congress are known
 */
export async function ours({ baseUrl, apiKey }, bill, options = likeThePlainWay(bill), source = undefined) {
  const archive = createClient({ baseUrl, apiKey }, { source });
  const frame = await archive.speechesOnBill({ ...bill, ...options });
  await archive.close();
  const { requests, speeches } = provenanceOf(frame);
  return { rows: frame.height, requests, found: speeches.variants.reduce((sum, variant) => sum + variant.newRows, 0) };
}

/** The same queries, every text kept, and no speaker but those with an id. */
function likeThePlainWay(bill) {
  return { variants: queriesOf(bill), minConfidence: 0, inferSpeakers: false };
}

function queriesOf({ title, number }) {
  const digits = number.replace(/\D/g, "");
  const forms = number.startsWith("H") ? ["H.R.", "HR", "H R"] : ["S.", "S"];
  return [title, ...forms.map((form) => `${form} ${digits}`)].map((query) => `"${query}"`);
}

/** The naive way: each search to its end, then each speaker, one request at a time. */
export async function sequential(
  { baseUrl, apiKey },
  { title, number, congress },
  queries = queriesOf({ title, number }),
) {
  let requests = 0;
  const ask = async (path, parameters = {}) => {
    requests++;
    const url = `${baseUrl}${path}?${new URLSearchParams(parameters)}`;
    return (await fetch(url, { headers: { "x-api-key": apiKey } })).json();
  };
  const begin = 1789 + 2 * (congress - 1);
  const found = new Map();
  for (const query of queries) {
    for (const videotype of ["Speech", "Debate"]) {
      const dates = { mindate: `${begin}-01-03`, maxdate: `${begin + 2}-01-03` };
      for (let cursor = {}; ; ) {
        const parameters = { query, videotype, limit: PAGE, ...dates, ...cursor };
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
    if (personid === undefined) continue;
    if (!titles.has(personid)) titles.set(personid, (await ask(`/people/${personid}`)).people?.[0]?.title ?? "");
    if (titles.get(personid).includes("Senator")) rows++;
  }
  return { rows, requests };
}
