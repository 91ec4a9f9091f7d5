import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { FrameBuilder } from "../../../dist/frames/frameBuilder.js";
import { scanPage } from "../../../dist/pages/scanPage.js";
import { readPacked, readStoredFile } from "../../../dist/responses/responseStore.js";
import { operations } from "../../../dist/service/operations/operations.js";
import { SeenRows } from "../../../dist/service/paging/seenRows.js";
import { clientOf } from "../contenders.mjs";
import { rounds, timed } from "../rounds.mjs";
import { startServer } from "../startServer.mjs";
import { atMost, figure, short, timesLine } from "../table.mjs";
import { withFolder } from "../withFolder.mjs";

const TOTAL = 100_000;
const unpack = promisify(gunzip);
const OPTIONS = { pageSize: 1000, progress: false };

/** A frame of 100,000 mentions from a snapshot, compared with the service on loopback, and the size of the snapshot. */
export default () => withFolder(replay);

async function replay(folder) {
  const dir = join(folder, "snapshot");
  const server = await startServer({ total: TOTAL, pageRows: 1000 });
  const frame = async (snapshot) => {
    const archive = clientOf(server.url, { ...OPTIONS, ...(snapshot && { snapshot }) });
    const { height } = await archive.scan.mentions("x").collect();
    await archive.close();
    if (height !== TOTAL) throw new Error(`${height} rows instead of ${TOTAL}`);
  };
  const begun = performance.now();
  await frame({ dir, mode: "record" });
  const recording = performance.now() - begun;
  const times = await rounds({
    replay: timed(() => frame({ dir, mode: "replay" })),
    floor: timed(() => floor(bodiesOf(dir))),
    live: timed(() => frame()),
  });
  server.stop();
  const { bytes, stored } = await sizes(dir);
  const replayed = timesLine("100,000 mentions from a snapshot", times.replay, times.live);
  return [
    { ...replayed, goal: atMost(0.7, replayed.ratio, "× from the service") },
    timesLine("reading, checking, unpacking, scanning, columns: the floor", times.floor, times.live),
    timesLine("from the service on loopback", times.live),
    figure("recording it, once", recording, "ms"),
    { what: "size of the snapshot over the bodies", median: `${short(stored / 2 ** 20)} MB`, ratio: stored / bytes },
  ];
}

/** The stored bodies, in the order in which they were recorded. */
function bodiesOf(dir) {
  const [name] = readdirSync(dir);
  const bodies = readStoredFile(dir, name).bodies.filter(({ line }) => line.bytes >= 1000);
  return bodies.map((body) => ({ bytes: body.line.bytes, read: () => readPacked(dir, body) }));
}

/** A plain loop of the steps that a replay cannot leave out. */
async function floor(bodies) {
  const builder = new FrameBuilder(operations.mentions.columns);
  const [seen, provenance] = [new SeenRows(), createHash("sha256")];
  for (const { read, bytes } of bodies) {
    const body = await unpack(read(), { chunkSize: bytes });
    provenance.update(body);
    builder.add(seen.withoutDuplicates(scanPage(body, "mentions", builder.shape), { conflicts: 0 }));
  }
  provenance.digest("hex");
  const { height } = builder.take();
  if (height !== TOTAL) throw new Error(`${height} rows instead of ${TOTAL}`);
}

async function sizes(dir) {
  const { snapshotInfo } = await import("../../../dist/index.js");
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { bytes: snapshotInfo(dir).bytes, stored };
}
