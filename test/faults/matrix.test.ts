import pMap from "p-map";
import { expect, it, vi } from "vitest";
import { LONG } from "../scale.js";
import { holdsKey } from "./canary.js";
import { allCases, nameOf, someCases } from "./cases.js";
import { runCase } from "./runCase.js";
import { startFaultServer } from "./startFaultServer.js";

/** `npm run test:faults` runs all cases; `FAULTS="a gzip bomb" npm test -- test/faults/matrix` runs those whose name contains it. */
const { FAULTS } = process.env;
const cases =
  FAULTS === "all"
    ? allCases
    : FAULTS
      ? allCases.filter((one) => nameOf(one).includes(FAULTS))
      : someCases(LONG ? 8 : 1);
/** Concurrent cases: most of them wait most of the time. */
const CONCURRENCY = 24;

const server = await startFaultServer();

it(`returns the right rows or a resumable typed error in ${cases.length} cases of a faulty service`, async () => {
  const unexpected: unknown[] = [];
  // A client warns only once about a response that echoes the key.
  const record = (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== "KEY_REDACTED") unexpected.push(error);
  };
  const events = ["unhandledRejection", "uncaughtExceptionMonitor", "warning"];
  for (const event of events) process.on(event, record);
  const writes = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"));
  const findings = await pMap(cases, async (of) => ({ of, violations: await runCase(server, of) }), {
    concurrency: CONCURRENCY,
  });
  const output = writes.flatMap(({ mock }) => mock.calls.map(([chunk]) => Buffer.from(chunk).toString("latin1")));
  for (const write of writes) write.mockRestore();
  for (const event of events) process.off(event, record);
  const violations = findings.flatMap(({ of, violations }) =>
    violations.map(({ problem, detail }) => `${problem}: ${nameOf(of)}: ${detail}`),
  );
  expect(violations).toEqual([]);
  expect(unexpected).toEqual([]);
  expect(await server.strayConnections()).toBe(0);
  expect(holdsKey(output.join(""))).toBe(false);
});
