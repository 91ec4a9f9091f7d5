import { expect, it } from "vitest";
import { type ArchiveClient, provenanceOf } from "../../src/index.js";
import { clientTo, mention, queryOf, served } from "./clientTo.js";

/** A service of 50 mentions. */
const startFifty = () =>
  served(
    (request) => {
      const { cursor = "0", query } = queryOf(request);
      if (query === "fails") return { status: 400 };
      const from = Number(cursor);
      const mentions = Array.from({ length: Math.min(20, 50 - from) }, (_none, at) => mention(from + at + 1));
      return { body: { cursor: String(from + mentions.length), mentions } };
    },
    { pageSize: 20 },
  );

it("is the last call, a failed one too, in the engine of the client", async () => {
  expect(clientTo({ baseUrl: "http://127.0.0.1:9" }).lastResult()).toBeUndefined();
  const { archive } = await startFifty();
  await archive.mentions("first", { engine: "danfo" });
  expect(archive.lastResult()).toMatchObject({ operation: "mentions", query: "first", rows: 20, engine: "polars" });
  expect(archive.lastResult()?.frame.getColumn("length").get(0)).toBe(30);
  await Promise.allSettled([archive.mentions("fails")]);
  expect(archive.lastResult()).toMatchObject({ operation: "mentions", query: "fails", rows: 0 });
});

type Iterate = (archive: ArchiveClient, signal: AbortSignal) => AsyncIterable<unknown>;
const scanOf = (archive: ArchiveClient) => archive.scan.mentions("left");
const ITERATIONS: Readonly<Record<string, Iterate>> = {
  iterRecords: (archive, signal) => archive.iterRecords("mentions", { query: "left", signal }),
  "scan, batches": (archive, signal) => scanOf(archive).batches({ signal }),
  "scan, batches of a size": (archive, signal) => scanOf(archive).batches({ signal, batchSize: 15 }),
  "scan, filtered": (archive, signal) => scanOf(archive).head(45).batches({ signal }),
};
const ENDS = ["break", "throw", "abort and break", "abort"] as const;

it.each(Object.entries(ITERATIONS))("is an iteration that the caller left: %s", async (_name, iterate) => {
  const { archive } = await startFifty();
  for (const end of ENDS) {
    await archive.bills("before").catch(() => undefined);
    const controller = new AbortController();
    const loop = async () => {
      for await (const _ of iterate(archive, controller.signal)) {
        if (end.startsWith("abort")) controller.abort();
        if (end === "throw") throw new Error("mine");
        if (end !== "abort") return;
      }
    };
    const outcome = await loop().catch((error: Error) => error);
    if (end === "throw") expect(outcome).toMatchObject({ message: "mine" });
    if (end === "abort") expect(outcome).toMatchObject({ code: "ABORTED" });
    const last = archive.lastResult();
    expect(last).toMatchObject({ operation: "mentions", query: "left", rows: 20, pages: 1 });
    expect(provenanceOf(last?.frame)).toMatchObject({ verdict: "stopped", rows: 20 });
  }
});
