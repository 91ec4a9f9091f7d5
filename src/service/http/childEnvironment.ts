import { createRedactor, MIN_DISTINCTIVE_LENGTH } from "./secret.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of the key; Windows ignores the case of variable names. */
const KEY = /^ARCHIVE_API_KEY$/i;

/**
 * The environment of a child process: without the key, which is also removed from every other variable. Every program that
 * this package starts gets its environment from here.
 *
 * @param more further variables, which override those of this process
 * @param live whether the program itself sends requests, and so gets the key
 * @example
 * spawn("jupyter", ["--version"], { env: childEnvironment(process.env) });
 */
export function childEnvironment(env: Environment, more: Environment = {}, live: boolean = false): NodeJS.ProcessEnv {
  const whole = { ...env, ...more };
  if (live) return whole;
  const keys = [env, more].flatMap((variables) =>
    Object.entries(variables).flatMap(([name, value]) => (KEY.test(name) && value?.trim() ? [value.trim()] : [])),
  );
  // A shorter key occurs in ordinary words; it is removed only where it is the whole value of a variable.
  const redactors = keys.filter(({ length }) => length >= MIN_DISTINCTIVE_LENGTH).map(createRedactor);
  const redact = (text: string) => redactors.reduce((redacted, one) => one(redacted), text);
  return Object.fromEntries(
    Object.entries(whole)
      .filter(([name, value]) => !KEY.test(name) && redact(name) === name && !keys.includes(value?.trim() ?? ""))
      .map(([name, value]) => [name, value && redact(value)]),
  );
}
