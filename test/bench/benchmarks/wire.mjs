import { clientOf, raw } from "../contenders.mjs";
import { startServer } from "../startServer.mjs";
import { atLeast } from "../table.mjs";

const TOTAL = 20_000;

/** Bytes of bodies on the wire: this package, which accepts gzip, and a client that does not ask for it. */
export default async function wire() {
  const server = await startServer({ total: TOTAL, pageRows: 1000, gzip: true });
  const archive = clientOf(server.url);
  const frame = await archive.mentions("x", { maxItems: Number.POSITIVE_INFINITY });
  await archive.close();
  if (frame.height !== TOTAL) throw new Error(`${frame.height} rows instead of ${TOTAL}`);
  const { bytes } = await server.stats();
  const plain = raw(server.url, 1000);
  await plain.run();
  await plain.close();
  const { bytes: plainBytes } = await server.stats();
  server.stop();
  const size = (count) => `${Math.round(count / (TOTAL / 1000) / 1000)} kB per 1,000 rows`;
  return [
    { what: "20,000 mentions, gzip", median: size(bytes), goal: atLeast(3, plainBytes / bytes, "× fewer") },
    { what: "  without", median: size(plainBytes), ratio: plainBytes / bytes },
  ];
}
