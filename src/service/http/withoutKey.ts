import { isUtf8 } from "node:buffer";
import { copyCause } from "../../errors/causes.js";
import { KEY_VARIABLES } from "./environmentKey.js";
import type { ServiceResponse } from "./requester.js";
import { Secret } from "./secret.js";

/**
 * Removes the key from a response. A service that echoes it would otherwise put it into every frame and file.
 *
 * @throws Error without the key, if the search itself fails: a defect of this package, which a retry would repeat
 */
export function withoutKey(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  key: Secret,
): Pick<ServiceResponse, "body" | "headers" | "redactions"> {
  try {
    const { body, redactions } = key.redactBody(asUtf8(bytes, headers["content-type"]));
    return { body, headers: key.redactAll(headers), ...(redactions > 0 && { redactions }) };
  } catch (error) {
    throw copyCause(error, key.redact);
  }
}

/**
 * Converts a JSON body to UTF-8. Servers often declare a wrong charset, so it counts only if the bytes are not valid UTF-8
 * or contain a NUL, which JSON never does. Bytes in an unknown charset stay as they are.
 *
 * @example
 * asUtf8(Buffer.from('"é"', "latin1"), "application/json; charset=iso-8859-1").toString(); //=> "\"é\""
 */
function asUtf8(body: Buffer, contentType: string | undefined): Buffer {
  const name = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (name === undefined || /^utf-?8$/i.test(name) || (isUtf8(body) && !body.includes(0))) return body;
  try {
    return Buffer.from(new TextDecoder(name).decode(body));
  } catch {
    return body;
  }
}

/** Windows ignores the case of variable names. */
function isKey(name: string): boolean {
  return KEY_VARIABLES.some((variable) => variable === name.toUpperCase());
}

/**
 * The environment of a child process: without the key, and without every other variable that has it. Every program that this
 * package starts gets its environment from here.
 *
 * @param more further variables, which override those of this process
 * @param live whether the program itself sends requests, and so gets the key
 * @example
 * spawn("jupyter", ["--version"], { env: childEnvironment(process.env) });
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
