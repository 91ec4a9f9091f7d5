import { SHORTEST_TELLING } from "./http/keyFinder.js";
import { createRedactor } from "./http/redact.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that holds the key; Windows takes the names of variables in any case. */
const KEY = /^ARCHIVE_API_KEY$/i;

/**
 * The environment for a program that this process starts: without the key, and with the key taken out of any other variable that
 * holds it. Every program that is started gets its environment from here.
 *
 * @param more further variables, which take the place of those of this process
 * @param live whether the program is to ask the service, and so gets the key after all
 * @example
 * spawn("jupyter", ["--version"], { env: childEnvironment(process.env) });
 */
export function childEnvironment(env: Environment, more: Environment = {}, live: boolean = false): NodeJS.ProcessEnv {
  const whole = { ...env, ...more };
  if (live) return whole;
  const keys = [env, more].flatMap((variables) =>
    Object.entries(variables).flatMap(([name, value]) => (KEY.test(name) && value?.trim() ? [value.trim()] : [])),
  );
  // What is shorter is a part of ordinary words; as the whole value of a variable it is taken out all the same.
  const redactors = keys.filter(({ length }) => length >= SHORTEST_TELLING).map(createRedactor);
  const clean = (text: string) => redactors.reduce((cleaned, redact) => redact(cleaned), text);
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([name, value]) => !KEY.test(name) && clean(name) === name && !keys.includes(value?.trim() ?? ""))
      .map(([name, value]) => [name, value && clean(value)]),
  );
}
