import { embeddedSource } from "../../../dist/embedded/data.js";
import { all, median, ratio, rounds, timed } from "../rounds.mjs";
import { atLeast, atMost, short } from "../table.mjs";
import { ours, sequential, someBills, startSlowArchive } from "./speeches.mjs";

const ROUNDS = 3;
const LISTED = 400;
/** Of these bills, those for which the Python client sends about 29 requests, lookups included. */
const REQUESTS = { least: 24, most: 34 };
/** Per bill. Missed since the end of every search is confirmed. */
const MOST = 16;
/** Of the members of its Congress half are known by id, as of the live service three in five. */
const KNOWN = embeddedSource();

/**
 * Speeches on a bill from a slow service: the requests that the archive's Python client sends, one after another, against this package
 * with its default options, which searches more forms and judges what it finds.
 */
export default async function reference() {
  const archive = await startSlowArchive();
  const lines = [];
  const requests = { known: 0, unknown: 0, reference: 0 };
  for (const bill of await someBills(archive, LISTED)) {
    const queries = queriesOf(bill);
    const theirs = await sequential(archive, bill, queries);
    if (theirs.requests < REQUESTS.least || theirs.requests > REQUESTS.most) continue;
    const found = await ours(archive, bill, {}, KNOWN);
    const unknown = await ours(archive, bill, {});
    if (unknown.rows !== found.rows) throw new Error(`${bill.title}: other rows`);
    const times = await rounds(
      {
        ours: timed(() => ours(archive, bill, {}, KNOWN)),
        reference: timed(() => sequential(archive, bill, queries)),
      },
      ROUNDS,
    );
    requests.known += found.requests;
    requests.unknown += unknown.requests;
    requests.reference += theirs.requests;
    lines.push({
      what: `  ${bill.number}: ${found.rows} rows, ${found.requests} requests (${unknown.requests}), ${theirs.requests}`,
      median: `${short(median(all(times.ours, "ms")))} ms, ${short(median(all(times.reference, "ms")))} ms`,
      ratio: ratio(all(times.reference, "ms"), all(times.ours, "ms")),
    });
  }
  archive.stop();
  const faster = median(lines.map((line) => line.ratio));
  const mean = (name) => short(requests[name] / lines.length);
  return [
    {
      what: `the Python client's requests, ${lines.length} bills`,
      median: `${mean("reference")} requests, ${mean("known")} ours (${mean("unknown")} if no member is known)`,
      ratio: faster,
      goal: atLeast(5, faster, "× ours"),
    },
    { what: "  ours", median: mean("known"), goal: atMost(MOST, requests.known / lines.length, "requests") },
    ...lines,
  ];
}

/** The title, and the number as it is typed and with its prefix in both forms. */
function queriesOf({ title, number }) {
  const [digits, letters] = [number.replace(/\D/g, ""), number.replace(/[^A-Z]/g, "")];
  const forms = [title, number, `${letters} ${digits}`, `${[...letters].join(".")}. ${digits}`];
  return [...new Set(forms)].map((query) => `"${query}"`);
}
