import { clientOf } from "../contenders.mjs";
import { startServer } from "../startServer.mjs";
import { exactly } from "../table.mjs";

const SIZES = [20, 50, undefined];
/** What the server allows, and so what the client asks for by default. */
const DEFAULT = 1000;

/** Requests of a complete search, beside the fewest that any client could send: one per page, and one that shows the end. */
export default async function requests() {
  const lines = [];
  for (const total of [1000, 5000, 20_000]) {
    const server = await startServer({ total });
    for (const pageSize of SIZES) {
      const archive = clientOf(server.url, { pageSize });
      await server.stats();
      const frame = await archive.mentions("x", { maxItems: Number.POSITIVE_INFINITY });
      const sent = (await server.stats()).requests;
      await archive.close();
      if (frame.height !== total) throw new Error(`${frame.height} rows instead of ${total}`);
      const what = `${total.toLocaleString("en-US")} rows, ${pageSize === undefined ? "by default" : `pages of ${pageSize}`}`;
      lines.push({ what, median: String(sent), goal: exactly(total / (pageSize ?? DEFAULT) + 1, sent) });
    }
    server.stop();
  }
  return lines;
}
