import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { KEY } from "../service/helpers.js";

/** What of the key no encoding of URLs, JSON or HTML changes, and what base64 makes of it at any place. */
const CORE = "canary-Key";
const FORMS = [CORE, ...[0, 1, 2].map((lead) => base64Core(lead))].map((form) => form.toLowerCase());

if (!KEY.startsWith(CORE)) throw new Error("the key of the tests has another core");

function base64Core(lead: number): string {
  const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(CORE)]);
  return bytes.toString("base64").slice(Math.ceil((lead * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

/** Whether the key stands in a text. */
export function holdsKey(text: string): boolean {
  const lower = text.toLowerCase();
  return FORMS.some((form) => lower.includes(form));
}

/** Where the key shows in an error or a result, however one looks at it; undefined where nowhere. */
export function keyIn(value: unknown): string | undefined {
  const { message, stack, cause } = (value ?? {}) as Partial<Error>;
  const looks: Record<string, () => string> = {
    message: () => String(message),
    stack: () => String(stack),
    cause: () => inspect(cause, { depth: 10, showHidden: true }),
    JSON: () => String(JSON.stringify(value)),
    text: () => String(value),
    inspect: () => inspect(value, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null }),
  };
  for (const [where, look] of Object.entries(looks)) if (holdsKey(look())) return where;
  return undefined;
}

/** The first file below a folder that holds the key, or is called by it. */
export function keyInFiles(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (holdsKey(name)) return path;
    const within = statSync(path).isDirectory() ? keyInFiles(path) : undefined;
    if (within !== undefined) return within;
    if (!statSync(path).isDirectory() && holdsKey(readFileSync(path, "latin1"))) return path;
  }
  return undefined;
}
