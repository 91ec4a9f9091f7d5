import { createHash } from "node:crypto";
import pl from "nodejs-polars";
import { FrameBuilder } from "../../../dist/frames/frameBuilder.js";
import { arrowStream } from "../../../dist/pages/arrowStream.js";
import { scanPage } from "../../../dist/pages/scanPage.js";
import { Secret } from "../../../dist/service/http/secret.js";
import { operations } from "../../../dist/service/operations/operations.js";
import { SeenRows } from "../../../dist/service/paging/seenRows.js";
import { CHAINS, openContender, serverOf } from "../chains.mjs";
import { KEY } from "../contenders.mjs";
import { all, median, rounds, timed } from "../rounds.mjs";
import { short } from "../table.mjs";

const PER = 100_000;
const ROUNDS = 7;
const WARM_UPS = 3;

/**
 * The floor under a chain: the CPU time of each step that no program can leave out, alone, over the bodies of all pages, beside
 * that of the whole. The steps from the key on are this package's.
 */
export default async function parts() {
  return [...(await floorOf("pages20")), ...(await floorOf("pages1000"))];
}

async function floorOf(name) {
  const chain = CHAINS[name];
  const server = await serverOf(chain);
  const download = openContender("raw", server.url, chain);
  const ours = openContender("ours", server.url, chain);
  const bodies = await download.run();
  const contenders = { received: download.run, ...stepsOf(bodies), whole: ours.run };
  const times = await rounds(
    Object.fromEntries(Object.entries(contenders).map(([step, run]) => [step, timed(async () => void (await run()))])),
    ROUNDS,
    WARM_UPS,
  );
  await Promise.all([download.close(), ours.close()]);
  server.stop();
  const cpu = (step) => (median(all(times[step], "cpu")) * PER) / chain.total;
  // The columns were written to be read.
  const reading = Math.max(0, cpu("read") - cpu("columns"));
  const steps = {
    "receiving with undici": cpu("received"),
    "SHA-256 of the bodies": cpu("hashed"),
    "searching them for the key": cpu("searched"),
    "scanning, which validates the JSON": cpu("scanned"),
    "finding rows that repeat": cpu("distinct"),
    "writing Arrow columns": cpu("columns"),
    "reading them with polars": reading,
  };
  const sum = Object.values(steps).reduce((total, ms) => total + ms, 0);
  const line = (what, ms) => ({ what, cpu: `${short(ms)} ms`, cpuRatio: ms / steps["receiving with undici"] });
  return [
    { what: `Pages of ${chain.pageRows}, per 100,000 rows` },
    ...Object.entries(steps).map(([what, ms]) => line(`  ${what}`, ms)),
    line("  these steps together: the floor", sum),
    line("  all of this package", cpu("whole")),
  ];
}

/** Each step alone, by name. */
function stepsOf(bodies) {
  const key = new Secret(KEY);
  const builder = new FrameBuilder(operations.mentions.columns);
  const { shape } = builder;
  const scan = () => bodies.map((body) => scanPage(body, "mentions", shape));
  const pages = scan();
  const schema = builder.take().writeIPCStream();
  const groups = groupsOf(pages);
  const write = (read) => () => groups.map((group) => arrowStream(schema, group, read));
  return {
    hashed: () => {
      const hash = createHash("sha256");
      for (const body of bodies) hash.update(body);
      hash.digest("hex");
    },
    searched: () => bodies.map((body) => key.redactBody(body).redactions),
    scanned: scan,
    distinct: () => {
      const seen = new SeenRows();
      for (const page of pages) seen.add(page);
    },
    columns: write((stream) => stream.length),
    read: write((stream) => pl.readIPCStream(stream)),
  };
}

/** Pages become columns in groups of half a megabyte, as in this package. */
function groupsOf(pages) {
  const groups = [[]];
  let size = 0;
  for (const page of pages) {
    groups.at(-1).push(page);
    size += page.bytes.length;
    if (size < 2 ** 19) continue;
    groups.push([]);
    size = 0;
  }
  return groups.filter((group) => group.length > 0);
}
