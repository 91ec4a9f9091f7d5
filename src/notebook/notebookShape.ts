import { isObject } from "../service/isObject.js";

/** Whether a value is a cell of a notebook file, as far as anything here looks into one. */
export function isCell(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { cell_type, source, metadata, outputs, attachments } = value;
  const isKind = cell_type === "code" || cell_type === "markdown" || cell_type === "raw";
  return (
    isKind &&
    isText(source) &&
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

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}

function isMaybe(value: unknown, is: (given: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
