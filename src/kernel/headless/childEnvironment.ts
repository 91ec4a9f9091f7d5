import { KEY_VARIABLES } from "../../service/http/environmentKey.js";
import { Secret } from "../../service/http/secret.js";

/** Windows ignores the case of variable names. */
function isKey(name: string): boolean {
  return KEY_VARIABLES.some((variable) => variable === name.toUpperCase());
}

/**
 * The environment of a child process: without the key, and without every other variable that has it. Every program that this package
 * starts gets its environment from here.
 * @param live whether the program itself sends requests, and so gets the key
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  more: NodeJS.ProcessEnv = {},
  live: boolean = false,
): NodeJS.ProcessEnv {
  const whole = { ...env, ...more };
  if (live) return whole;
  const keys = [env, more].flatMap((variables) =>
    Object.entries(variables).flatMap(([name, value]) => (isKey(name) && value?.trim() ? [value.trim()] : [])),
  );
  const secrets = keys.map((key) => new Secret(key));
  const hasKey = (text = "") => keys.includes(text.trim()) || secrets.some((secret) => secret.occursIn(text));
  const others = Object.entries(whole).filter(([name, value]) => !isKey(name) && !hasKey(name) && !hasKey(value));
  return Object.fromEntries(others);
}
