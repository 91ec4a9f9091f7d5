import { isObject } from "../util/isObject.js";

/** A larger file is no notebook that a person has made. */
export const MAX_NOTEBOOK_BYTES = 500e6;

const MAX_CELLS = 10_000;
const MAX_OUTPUTS = 100_000;

/** Characters of a cell; a kernel takes a little more. */
const MAX_SOURCE = 15e6;

/** Objects and lists in each other: what copies or writes them goes as deep. */
const MAX_DEPTH = 100;

/**
 * What keeps a value from being a notebook of format 4 that can be run or shown, as a sentence; undefined where nothing does.
 * A notebook may come from anywhere, so that every member that anybody here reads is looked at.
 */
export function notebookFault(value: unknown): string | undefined {
  const { nbformat, nbformat_minor, cells, metadata } = isObject(value) ? value : {};
  if (nbformat !== 4 || !Array.isArray(cells)) return "It must be of format 4";
  if (!isMaybe(nbformat_minor, Number.isInteger)) return "Its minor format is no number";
  if (!isMaybe(metadata, isObject)) return "Its metadata is no object";
  if (cells.length > MAX_CELLS) return `It has more than ${MAX_CELLS} cells`;
  if (!isWithinDepth(value, MAX_DEPTH)) return `It is nested more than ${MAX_DEPTH} deep`;
  const wrong = cells.findIndex((cell) => !isCell(cell));
  if (wrong >= 0) return `Its cell ${wrong + 1} is none`;
  const outputs = (cells as ReadonlyArray<{ readonly outputs?: readonly unknown[] }>).map(
    (cell) => cell.outputs?.length ?? 0,
  );
  if (outputs.reduce((sum, count) => sum + count, 0) > MAX_OUTPUTS) return `It has more than ${MAX_OUTPUTS} outputs`;
  return undefined;
}

function isWithinDepth(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= most; depth++) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      for (const inner of Object.values(each)) next.push(inner);
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

/** Whether a value is a cell of a notebook file, as far as anything here looks into one. */
function isCell(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { cell_type, id, source, metadata, outputs, execution_count, attachments } = value;
  const isKind = cell_type === "code" || cell_type === "markdown" || cell_type === "raw";
  return (
    isKind &&
    isText(source) &&
    lengthOf(source) <= MAX_SOURCE &&
    isMaybe(id, (given) => typeof given === "string") &&
    isMaybe(execution_count, (given) => given === null || typeof given === "number") &&
    isMaybe(metadata, (given) => isObject(given) && isMaybe(given.tags, isTexts)) &&
    isMaybe(outputs, (given) => Array.isArray(given) && given.every(isOutput)) &&
    isMaybe(attachments, (given) => isObject(given) && Object.values(given).every(isObject))
  );
}

function isOutput(value: unknown): boolean {
  return isObject(value) && isMaybe(value.text, isText) && isMaybe(value.data, isObject);
}

function isText(value: unknown): boolean {
  return typeof value === "string" || isTexts(value);
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : (text as string[]).reduce((sum, line) => sum + line.length, 0);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}

function isMaybe(value: unknown, is: (given: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
