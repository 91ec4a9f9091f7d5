import { inspect } from "node:util";
import { type FrameShape, frameShape } from "../cells/frameColumns.js";
import type { Variables } from "../cells/variables.js";

/** Number of variables listed. */
const MAX_VARIABLES = 1000;

/** Longer values are cut. */
const MAX_VALUE = 200;

/** Texts are cut before they are redacted; what remains must be long enough to be recognized as a secret. */
const INSPECT = { depth: 1, maxArrayLength: 10, maxStringLength: 1000, breakLength: Number.POSITIVE_INFINITY } as const;

/** Number of columns in the value of a frame. */
const MAX_COLUMNS = 10;

/** One variable, as the Debug Adapter Protocol lists it. */
export interface ListedVariable {
  readonly name: string;
  readonly evaluateName: string;
  readonly type: string;
  readonly value: string;
  /** 0: it has no members to list. */
  readonly variablesReference: 0;
}

/**
 * Lists the variables of all cells, sorted by name: frames with their shape and the types of their columns, everything else with a
 * short value. What cells have imported is left out.
 *
 * @param declarations of all cells
 * @param redact removes secrets
 */
export function listVariables(
  variables: Variables,
  declarations: string,
  redact: (text: string) => string,
): ListedVariable[] {
  const imported = importedNames(declarations);
  const names = Object.keys(variables).filter((name) => !imported.has(name));
  return names
    .sort()
    .slice(0, MAX_VARIABLES)
    .map((name) => {
      const { type, value } = describe(variables[name]);
      return { name, evaluateName: name, type, value: cut(redact(value)), variablesReference: 0 };
    });
}

/** Type and value; user code in getters and custom formats may throw. */
function describe(value: unknown): { type: string; value: string } {
  try {
    const shape = frameShape(value);
    return shape === undefined
      ? { type: typeName(value), value: inspect(value, INSPECT) }
      : { type: "DataFrame", value: shapeText(shape) };
  } catch {
    return { type: typeof value, value: "(cannot be displayed)" };
  }
}

function typeName(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  const { name } = (value.constructor ?? {}) as { name?: unknown };
  return typeof name === "string" && name !== "" ? name : "object";
}

function shapeText({ rows, columns }: FrameShape): string {
  const listed = columns.slice(0, MAX_COLUMNS).map(([name, type]) => `${name} ${type}`);
  const more = columns.length > MAX_COLUMNS ? ["…"] : [];
  return `${rows.toLocaleString("en-US")} rows × ${columns.length} columns: ${[...listed, ...more].join(", ")}`;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line;
}

/** The names that import statements declare. */
function importedNames(declarations: string): Set<string> {
  const statements = declarations.match(/^import\s[^;]*?\sfrom\s/gm) ?? [];
  return new Set(statements.flatMap((statement) => statement.match(/[\w$\u0080-\uffff]+/g) ?? []));
}
