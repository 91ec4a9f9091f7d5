import { expect, it } from "vitest";
import { APIError, ArchiveClient } from "../../src/index.js";
import { errorOf, KEY } from "../service/helpers.js";
import { bodyFaults } from "./faults/bodies.js";
import type { Fault } from "./faults/fault.js";
import { FaultyService } from "./faultyService.js";

const MIB = 2 ** 20;
/** Beyond the limit: the system's buffers when the connection was closed, which a busy machine fills further, and those of the decoder. */
const BUFFERS = 32;

it.each([
  ["500 MB, streamed", 4],
  ["500 MB, streamed", 64],
  ["500 MB, with a length", 64],
  ["an endless gzip body", 4],
  ["a gzip bomb", 4],
])("%s is cut at a maxBodyBytes of %i MiB and takes no more memory than that", async (name, limit) => {
  const fault = bodyFaults.find((one) => one.name === name) as Fault;
  const service = new FaultyService({ fault, place: 1, isLasting: true, elsewhere: "" });
  const archive = new ArchiveClient({ apiKey: KEY, baseUrl: await service.listen(), maxBodyBytes: limit * MIB });
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 1);
  const error = await errorOf(archive.bills("row"), APIError);
  clearInterval(timer);
  await archive.close();
  expect(error.code).toBe("BODY_TOO_LARGE");
  expect(await service.end()).toBe(0);
  expect(peak / MIB).toBeLessThan(limit + BUFFERS);
  expect(service.counts.bytes / MIB).toBeLessThan(limit + BUFFERS);
});
