import pMap from "p-map";
import { expect, it, vi } from "vitest";
import { LONG } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { allCases, someCases } from "./cases.js";
import { expectNoKey } from "./keySearch.js";
import { runCase } from "./runCase.js";

/** `npm run test:faults` runs all cases; `FAULTS="a gzip bomb" npm test -- test/faults/matrix` runs those whose name contains it. */
const { FAULTS } = process.env;
const named = () => allCases.filter(({ name }) => FAULTS === "all" || name.includes(FAULTS as string));
const cases = FAULTS ? named() : someCases(LONG ? 8 : 1);
/** Concurrent cases: most of them wait most of the time. */
const CONCURRENCY = 24;

it(`returns the right rows or a resumable typed error in ${cases.length} cases of a faulty service`, async () => {
  await using elsewhere = await startScriptedServer(() => ({}));
  const unexpected: unknown[] = [];
  // A client warns only once about a response that echoes the key.
  const record = (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== "KEY_REDACTED") unexpected.push(error);
  };
  const events = ["unhandledRejection", "uncaughtExceptionMonitor", "warning"];
  for (const event of events) process.on(event, record);
  const writes = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"));
  const violations = await pMap(
    cases,
    (of) =>
      runCase(of, elsewhere.baseUrl).then(
        () => [],
        (violation: Error) => [`${of.name}: ${violation.message}`],
      ),
    { concurrency: CONCURRENCY },
  );
  const output = writes.flatMap(({ mock }) => mock.calls.map(([chunk]) => Buffer.from(chunk).toString("latin1")));
  for (const write of writes) write.mockRestore();
  for (const event of events) process.off(event, record);
  expect(violations.flat()).toEqual([]);
  expect(unexpected).toEqual([]);
  expect(elsewhere.connections.opened).toBe(0);
  expectNoKey("the output", output.join(""));
});
