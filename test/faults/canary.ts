import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { KEY } from "../service/helpers.js";

/** The part of the key that URL, JSON and HTML encoding leave unchanged. Its base64 forms are searched at any offset. */
const CORE = "canary-Key";
const FORMS = [CORE, ...[0, 1, 2].map((lead) => base64Core(lead))].map((form) => form.toLowerCase());

if (!KEY.startsWith(CORE)) throw new Error("the key of the tests has another core");

function base64Core(lead: number): string {
  const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(CORE)]);
  return bytes.toString("base64").slice(Math.ceil((lead * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

/** Whether a text contains the key in any encoding. */
export function holdsKey(text: string): boolean {
  const lower = text.toLowerCase();
  return FORMS.some((form) => lower.includes(form));
}

/** The representation of an error or result that contains the key; undefined if none does. */
export function keyIn(value: unknown): string | undefined {
  const { message, stack, cause } = (value ?? {}) as Partial<Error>;
  const representations: Record<string, () => string> = {
    message: () => String(message),
    stack: () => String(stack),
    cause: () => inspect(cause, { depth: 10, showHidden: true }),
    JSON: () => String(JSON.stringify(value)),
    text: () => String(value),
    inspect: () => inspect(value, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  };
  for (const [where, look] of Object.entries(representations)) if (holdsKey(look())) return where;
  return undefined;
}

/** The first file below a directory whose name or content contains the key. */
export function keyInFiles(directory: string): string | undefined {
  if (!existsSync(directory)) return undefined;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (holdsKey(name)) return path;
    const within = statSync(path).isDirectory() ? keyInFiles(path) : undefined;
    if (within !== undefined) return within;
    if (!statSync(path).isDirectory() && holdsKey(readFileSync(path, "latin1"))) return path;
  }
  return undefined;
}
