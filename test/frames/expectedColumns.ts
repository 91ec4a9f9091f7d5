import { parseExact, stringifyExact } from "../../src/frames/exactJson.js";

export { parseExact, stringifyExact };

/** The expected columns and values of one row: a simple implementation of the rules in src/frames/README.md. */
export function expectedColumns(row: object): Map<string, unknown> {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  return new Map(
    Object.entries(row).map(([member, value]) => [
      member.isWellFormed() ? member : JSON.stringify(member),
      isObject(value) ? stringifyExact(value) : value,
    ]),
  );
}
