import { inspect } from "node:util";
import { onTestFinished } from "vitest";
import type { ClientOptions } from "../../src/index.js";
import { ArchiveError } from "../../src/index.js";
import { resolveOptions } from "../../src/service/http/options.js";
import { Transport } from "../../src/service/http/transport.js";
import { type Clock, JumpingClock } from "./clocks.js";
import { KEY } from "./key.js";
import { type Script, type ScriptedAnswer, startScriptedServer } from "./scriptedServer.js";

export { KEY };

type Own = ConstructorParameters<typeof Transport> extends [unknown, ...infer Rest] ? Rest : never;

/** A transport with these options, with nothing from the environment unless it is given as well. */
export function transportOf(options: ClientOptions, own: Partial<Own> = [], env: NodeJS.ProcessEnv = {}): Transport {
  return new Transport(resolveOptions({ apiKey: KEY, ...options }, env), ...(own as Own));
}

/** A transport to a scripted server, without jitter and without real waiting. It closes at the end of its block. */
export function transportTo(
  server: { readonly baseUrl: string },
  options: ClientOptions = {},
  clock: Clock = new JumpingClock(),
): Transport & AsyncDisposable {
  const transport = transportOf({ baseUrl: server.baseUrl, ...options }, [clock, () => 0]);
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() });
}

/**
 * A scripted server and a transport to it: both are there until the test ends. A list of answers is given in turn, the last one
 * for ever.
 */
export async function transportFor<C extends Clock = JumpingClock>(
  script: Script | readonly ScriptedAnswer[],
  options: ClientOptions = {},
  clock: C = new JumpingClock() as Clock as C,
) {
  const inTurn: Script = (request, index) =>
    typeof script === "function" ? script(request, index) : (script[Math.min(index, script.length - 1)] ?? {});
  const server = await startScriptedServer(inTurn);
  const transport = transportTo(server, options, clock);
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport, clock };
}

/** The error that a promise is rejected with, or that a function throws. Without an error, the test fails. */
export async function errorOf<E extends Error>(
  action: Promise<unknown> | (() => unknown),
  type: abstract new (...args: never[]) => E,
): Promise<E> {
  const run = async () => (typeof action === "function" ? action() : action);
  const outcome = await run().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`no error, but ${inspect(outcome.value)}`);
  if (!(outcome.error instanceof type)) throw new Error(`not a ${type.name}`, { cause: outcome.error });
  return outcome.error;
}

/** The error of a call that its signal stopped. */
export async function abortOf(action: Promise<unknown> | (() => unknown)): Promise<ArchiveError> {
  const error = await errorOf(action, ArchiveError);
  if (error.code !== "ABORTED") throw new Error("not stopped by its signal", { cause: error });
  return error;
}
