import { warn } from "../../errors/warn.js";
import { isObject } from "../../util/isObject.js";
import { type FileProvenance, MAX_LISTED } from "./fileProvenance.js";

// Files are untrusted input: everything else may rely on the form that is checked here.

/** Returns a copy of a value of a form, with the members of the form only. Throws `MISFIT` for any other value. */
type Form = (value: unknown) => unknown;

const MISFIT = Symbol("misfit");

function form(check: (value: unknown) => boolean): Form {
  return (value) => {
    if (!check(value)) throw MISFIT;
    return value;
  };
}

const text = form((value) => typeof value === "string" && value.length <= 100_000);
const count = form((value) => Number.isSafeInteger(value) && (value as number) >= 0);
const textOrNull = orNull(text);

function orNull(member: Form): Form {
  return (value) => (value === null ? null : member(value));
}

function optional(member: Form): Form {
  return (value) => (value === undefined ? undefined : member(value));
}

function listOf(item: Form, { min = 0, max = MAX_LISTED } = {}): Form {
  return (value) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) throw MISFIT;
    return value.map(item);
  };
}

function shape(members: Readonly<Record<string, Form>>): Form {
  return (value) => {
    if (!isObject(value)) throw MISFIT;
    const all = Object.entries(members).map(([name, member]) => [name, member(value[name])] as const);
    return Object.fromEntries(all.filter(([, member]) => member !== undefined));
  };
}

const search = {
  ...{ operation: text, source: text, version: text, sha256: text, retrieved: textOrNull },
  parameters: (value: unknown) => {
    if (!isObject(value)) throw MISFIT;
    return Object.fromEntries(Object.entries(value).map(([name, parameter]) => [name, text(parameter)]));
  },
  ...{ rows: count, duplicates: count, conflicts: count, reason: textOrNull, cursor: textOrNull },
  verdict: form((value) => value === "complete" || value === "capped" || value === "stopped"),
  sample: optional(shape({ of: count, rows: count, pages: count, pageRows: orNull(count), seed: count })),
};
const step = shape({ verb: text, text, rows: optional(listOf(count, { min: 2, max: 2 })) });
const variable = shape({ name: text, kind: text, values: listOf(text), question: text, scale: text });
const provenance = shape({
  ...search,
  sources: optional(listOf(shape(search), { min: 1 })),
  steps: optional(listOf(step)),
  codebook: optional(shape({ variables: listOf(variable), instructions: text, hash: text })),
});

/**
 * The provenance that came with a file. Undefined, with a warning, if a member does not have its form: the rest could be wrong as well.
 *
 * @param file its name, for the warning
 */
export function checkedProvenance(value: unknown, file: string): FileProvenance | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    return provenance(value) as FileProvenance;
  } catch (error) {
    if (error !== MISFIT) throw error;
    warn(
      "PROVENANCE_INVALID",
      `The provenance that came with ${file} does not have the form of ours, and is left out.`,
    );
    return undefined;
  }
}
