import pLimit from "p-limit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { holdsKey } from "./canary.js";
import { allCases, named, someCases } from "./cases.js";
import { runCase } from "./runCase.js";
import { type FaultServer, startFaultServer } from "./startFaultServer.js";
import { findingsTable } from "./table.js";

/** `npm run test:fire` runs every case, `FIRE=name npm test -- test/faults` those whose name has this in it. */
const { FIRE } = process.env;
const cases = FIRE === "all" ? allCases : FIRE ? allCases.filter((one) => named(one).includes(FIRE)) : someCases(4);
/** Cases at once: most of their time goes by in waiting. */
const AT_ONCE = 24;

let server: FaultServer;
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(() => server[Symbol.asyncDispose]());

it(`${cases.length} cases of a service under fire: the right rows, or a typed error and the rest of them`, {
  timeout: 1_800_000,
}, async () => {
  const loose: unknown[] = [];
  // Faults that echo the key are answered with a warning, once per client.
  const note = (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== "KEY_REDACTED") loose.push(error);
  };
  for (const event of ["unhandledRejection", "uncaughtExceptionMonitor", "warning"]) process.on(event, note);
  const printed = listenToOutput();
  const limit = pLimit(AT_ONCE);
  const findings = await Promise.all(
    cases.map((of) => limit(async () => ({ of, violations: await runCase(server, of) }))),
  );
  const output = printed();
  for (const event of ["unhandledRejection", "uncaughtExceptionMonitor", "warning"]) process.off(event, note);
  if (FIRE !== undefined) console.log(`\n${findingsTable(findings)}\n`);
  const violations = findings.flatMap(({ of, violations }) =>
    violations.map(({ problem, detail }) => `${problem}: ${named(of)}: ${detail}`),
  );
  expect(violations).toEqual([]);
  expect(loose).toEqual([]);
  expect(await server.strangers()).toBe(0);
  expect(holdsKey(output)).toBe(false);
});

/** Keeps what is written to stdout and stderr; the function it gives stops that and returns it. */
function listenToOutput(): () => string {
  const kept: string[] = [];
  const streams = [process.stdout, process.stderr];
  const originals = streams.map((stream) => stream.write);
  for (const [at, stream] of streams.entries()) {
    stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      kept.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1"));
      return originals[at]?.call(stream, chunk, ...rest);
    }) as typeof stream.write;
  }
  return () => {
    for (const [at, stream] of streams.entries()) stream.write = originals[at] as typeof stream.write;
    return kept.join("");
  };
}
