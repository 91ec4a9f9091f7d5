import { expect, it } from "vitest";
import { APIError, ArchiveClient } from "../../src/index.js";
import { errorOf, KEY } from "../service/helpers.js";
import { startFaultServer } from "./startFaultServer.js";

const MIB = 2 ** 20;
/** Beyond the limit: the system's buffers when the connection was closed, which a busy machine fills further, and the decoder's. */
const BUFFERS = 32;

const server = await startFaultServer();

it.each([
  ["500 MB, streamed", 4],
  ["500 MB, streamed", 64],
  ["500 MB, with a length", 64],
  ["an endless gzip body", 4],
  ["a gzip bomb", 4],
])("%s is cut at a maxBodyBytes of %i MiB and takes no more memory than that", async (fault, limit) => {
  const service = await server.order({ fault, place: 1, isLasting: true, atPerson: false });
  const archive = new ArchiveClient({ apiKey: KEY, baseUrl: service.url, maxBodyBytes: limit * MIB });
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 1);
  const error = await errorOf(archive.bills("row"), APIError);
  clearInterval(timer);
  await archive.close();
  const { sent, open } = await service.end();
  expect(error.code).toBe("BODY_TOO_LARGE");
  expect(open).toBe(0);
  expect(peak / MIB).toBeLessThan(limit + BUFFERS);
  expect(sent / MIB).toBeLessThan(limit + BUFFERS);
});
