import pMap from "p-map";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LONG } from "../scale.js";
import { holdsKey } from "./canary.js";
import { allCases, nameOf, someCases } from "./cases.js";
import { runCase } from "./runCase.js";
import { type FaultServer, startFaultServer } from "./startFaultServer.js";
import { findingsTable } from "./table.js";

/** `npm run test:faults` runs all cases; `FAULTS="a gzip bomb" npm test -- test/faults/matrix` runs those whose name contains it. */
const { FAULTS } = process.env;
const cases =
  FAULTS === "all"
    ? allCases
    : FAULTS
      ? allCases.filter((one) => nameOf(one).includes(FAULTS))
      : someCases(LONG ? 24 : 1);
/** Concurrent cases: most of them wait most of the time. */
const CONCURRENCY = 24;

let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server[Symbol.asyncDispose]());

it(`returns the right rows or a resumable typed error in ${cases.length} cases of a faulty service`, {
  timeout: 1_800_000,
}, async () => {
  const unexpected: unknown[] = [];
  // A client warns only once about a response that echoes the key.
  const record = (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== "KEY_REDACTED") unexpected.push(error);
  };
  for (const event of ["unhandledRejection", "uncaughtExceptionMonitor", "warning"]) process.on(event, record);
  const printed = recordOutput();
  const findings = await pMap(cases, async (of) => ({ of, violations: await runCase(server, of) }), {
    concurrency: CONCURRENCY,
  });
  const output = printed();
  for (const event of ["unhandledRejection", "uncaughtExceptionMonitor", "warning"]) process.off(event, record);
  if (FAULTS !== undefined) console.log(`\n${findingsTable(findings)}\n`);
  const violations = findings.flatMap(({ of, violations }) =>
    violations.map(({ problem, detail }) => `${problem}: ${nameOf(of)}: ${detail}`),
  );
  expect(violations).toEqual([]);
  expect(unexpected).toEqual([]);
  expect(await server.strayConnections()).toBe(0);
  expect(holdsKey(output)).toBe(false);
});

/** Records what is written to stdout and stderr; the returned function stops recording and returns the text. */
function recordOutput(): () => string {
  const written: string[] = [];
  const streams = [process.stdout, process.stderr];
  const originals = streams.map((stream) => stream.write);
  for (const [at, stream] of streams.entries()) {
    stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      written.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1"));
      return originals[at]?.call(stream, chunk, ...rest);
    }) as typeof stream.write;
  }
  return () => {
    for (const [at, stream] of streams.entries()) stream.write = originals[at] as typeof stream.write;
    return written.join("");
  };
}
