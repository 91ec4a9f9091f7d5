import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import { KEY } from "../service/helpers.js";

/** The part of the key that URL, JSON and HTML encoding leave unchanged, and its base64 forms at any offset. */
const CORE = "canary-Key";
const FORMS = [CORE, ...[0, 1, 2].map(base64At)].map((form) => form.toLowerCase());

if (!KEY.startsWith(CORE)) throw new Error("the key of the tests has another core");

function base64At(lead: number): string {
  const bytes = Buffer.concat([Buffer.alloc(lead), Buffer.from(CORE)]);
  return bytes.toString("base64").slice(Math.ceil((lead * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

/** Fails if a text contains the key in any encoding. */
export function expectNoKey(where: string, ...texts: readonly string[]): void {
  for (const text of texts) {
    const lower = text.toLowerCase();
    const at = FORMS.map((form) => lower.indexOf(form)).find((place) => place >= 0);
    if (at !== undefined) expect.fail(`the key is in ${where}: …${text.slice(Math.max(0, at - 60), at)}…`);
  }
}

/** Every way a program can print a value, an error with its causes. */
export function printedForms(value: unknown): string[] {
  const all = { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null };
  const texts = [inspect(value, all), String(value), JSON.stringify(value) ?? ""];
  for (let at = value; at instanceof Error; at = at.cause) texts.push(at.message, String(at.stack), JSON.stringify(at));
  return texts;
}

/** The names of all files below a directory, and their bytes. */
export function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const text = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "latin1") : "";
    return [entry.name, text];
  });
}
