import fc from "fast-check";
import { FrameBuilder, UnusablePageError } from "../../src/frames/frameBuilder.js";
import type { PolarsFrame } from "../../src/index.js";
import { declaredSchema, rowSchema, rowText } from "../../src/pages/rows.js";
import { NotScannable, type PageScan, scanPage } from "../../src/pages/scanPage.js";
import { operations } from "../service/operations.js";

export { declaredSchema, FrameBuilder, NotScannable, type PageScan, rowText, scanPage, UnusablePageError };

export const mentionsBuilder = (): FrameBuilder => new FrameBuilder(operations.mentions.columns);

/** Builds a frame from pages of mentions, whose rows are given as JSON, page by page, as the client does. */
export function frameOf(...pages: ReadonlyArray<readonly string[]>): PolarsFrame {
  const builder = mentionsBuilder();
  for (const rows of pages) builder.add(scanRows(rows, builder.schema));
  return builder.take();
}

/** Scans a page of mentions with these rows, given as JSON. */
export function scanRows(rows: readonly string[], schema = rowSchema(Object.entries(operations.mentions.columns))) {
  return scanPage(Buffer.from(`{"cursor":"VdRM","mentions":[${rows.join(",")}]}`), "mentions", schema);
}

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    '"quoted"',
    "a\\b",
    "two\nlines",
    "<b>",
    "=1+1",
    "\u0000",
    "\ud800",
    "x\udc00",
    "😀",
    "a,b",
    "null",
    "5",
  ),
);

const timestamps = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);

const longNumbers = fc.constantFrom(
  "9007199254740993",
  "-9223372036854775808",
  "9223372036854775808",
  "123456789012345678901234567890",
);

/** JSON of a value that fits the declared type of the column. */
const fitting: Record<string, fc.Arbitrary<string>> = {
  string: text.map((value) => JSON.stringify(value)),
  int: fc.oneof(fc.integer().map(String), fc.constantFrom("0", "-0", "999999999999999")),
  datetime: timestamps.map((value) => JSON.stringify(value)),
};

/** JSON of a value of any type, including types that fit no column. */
const anyValue: fc.Arbitrary<string> = fc.oneof(
  fc.constant("null"),
  fc.constantFrom(
    "true",
    "false",
    "1.5",
    "-0.25",
    "5.0",
    "1e3",
    "1E-2",
    "1e400",
    '"2024-02-30T00:00:00Z"',
    '"2024-04-27"',
    "{}",
    "[]",
  ),
  fc.constantFrom(
    '"2024-04-27T02:35:35.250+02:00"',
    '"2024-04-27T02:35"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\u0041"',
  ),
  longNumbers,
  fc.integer().map(String),
  text.map((value) => JSON.stringify(value)),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
);

const declared = Object.entries(operations.mentions.columns);

/** JSON of a row with declared members only, whose values fit or are null. */
export const fittingRowJson: fc.Arbitrary<string> = fc
  .tuple(
    ...declared.map(([name, type]) =>
      fc
        .oneof({ weight: 12, arbitrary: fitting[type] as fc.Arbitrary<string> }, fc.constantFrom("null", undefined))
        .map((value) => (value === undefined ? [] : [`${JSON.stringify(name)}:${value}`])),
    ),
  )
  .map((members) => `{${members.flat().join(",")}}`);

/** JSON of a row: mostly uniform, sometimes with members that are missing, null, unknown, nested or of another type. */
export const rowJson: fc.Arbitrary<string> = fc
  .record({
    members: fc.tuple(
      ...declared.map(([name, type]) =>
        fc
          .oneof(
            { weight: 12, arbitrary: fitting[type] as fc.Arbitrary<string> },
            { weight: 1, arbitrary: fc.constant("null") },
            { weight: 1, arbitrary: anyValue },
            { weight: 1, arbitrary: fc.constant(undefined) },
          )
          .map((value) => [JSON.stringify(name), value] as const),
      ),
    ),
    extra: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.tuple(
            fc
              .constantFrom(
                "extra",
                "tags",
                "by",
                "by.name",
                "__proto__",
                "constructor",
                "a b",
                "*",
                "^.*$",
                "",
                "é",
                "\ud800",
                "\ufffd",
                "height",
                "height_",
                "rows",
                'x"id',
                "a\\.b",
              )
              .map((name) => JSON.stringify(name)),
            anyValue,
          ),
          { maxLength: 3 },
        ),
      },
    ),
    rotation: fc.nat(20),
    space: fc.constantFrom("", "", "", " ", "\n", "\r\n\t"),
  })
  .map(({ members, extra, rotation, space }) => {
    const all = [...members, ...extra].filter(([, value]) => value !== undefined);
    const rotated = [...all.slice(rotation % (all.length + 1)), ...all.slice(0, rotation % (all.length + 1))];
    return `{${space}${rotated.map(([name, value]) => `${name}${space}:${space}${value}`).join(`,${space}`)}${space}}`;
  });

/** Rows, and whether a new page starts before each of them. */
export const cutRows = (some: fc.Arbitrary<string[]>) =>
  some.chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      cuts: fc.array(fc.boolean(), { minLength: rows.length, maxLength: rows.length }),
    }),
  );
export const splitRows = cutRows(fc.array(rowJson, { maxLength: 12 }));

/** Splits rows into pages: a new page starts before each row whose cut is true. */
export function pagesOf(rows: readonly string[], cuts: readonly boolean[]): string[][] {
  const pages: string[][] = [[]];
  rows.forEach((row, at) => {
    if (cuts[at]) pages.push([]);
    pages.at(-1)?.push(row);
  });
  return pages;
}
