/** What to type instead, by the pattern of a message: frequent mistakes of users who come from Python. */
const HINTS: ReadonlyArray<readonly [message: RegExp, hint: string]> = [
  [
    /^Cannot find name 'print'/,
    "TypeScript prints with console.log(…). The last expression of a cell is shown by itself.",
  ],
  [
    /^Cannot find name '(?:display|show|chart)'/,
    'It needs an import: import { display, show, chart } from "archive-frames/notebook";',
  ],
  [/does not exist on type 'Promise</, "Is an `await` missing?"],
  [
    /types 'Expr' and '\w+' have no overlap|Operator '[<>]=?' cannot be applied to types 'Expr'/,
    'Compare with methods: pl.col("party").eq(pl.lit("D")), .gt(60), .and(…).',
  ],
  [
    /type 'string' is not assignable to parameter of type 'Expr'/,
    'A text value is pl.lit("text"), a column is pl.col("name").',
  ],
  [
    /'string\[\]' is not assignable to parameter of type '(?:ExprOrString|string \| number \| symbol)'/,
    'Names are arguments of their own: select("person", "text"), or select(...names).',
  ],
  [
    /^Argument of type 'string' is not assignable to parameter of type 'boolean'/,
    'Several columns are one list: frame.sort(["party", "person"]).',
  ],
  [
    /^Argument of type 'Expr' is not assignable to parameter of type 'ColumnSelection'/,
    'Groups are columns: frame.withColumns(perPeriod("begintime", "month")).groupBy("month").',
  ],
  [/^Property '(?:length|len|nrow)' does not exist on type '\w*Frame/, "The number of rows is frame.height."],
  [/^Property 'count' does not exist on type '\w*GroupBy'/, "A group counts its rows with .len()."],
  [
    /does not exist on type 'string \| number \| bigint \| boolean'/,
    'Name the types of the columns: import { toRecords, type FrameRow } from "archive-frames"; toRecords<FrameRow<"mentions">>(frame).',
  ],
  [
    /unable to find column|^not found: "/,
    "The names of the columns are in frame.columns. A plain string is a column name: a value is pl.lit(value).",
  ],
  [
    /comparison between series .{0,300}Datetime\('.s', 'UTC'\)|^cannot compare 'date\/datetime\/time' to a string/s,
    'Timestamps are in microseconds and UTC: filter(where({ begintime: { from: "2022-08-16" } })), or pl.lit(date).cast(pl.Datetime("us", "UTC")).',
  ],
];

/** Longer messages are not searched to their end. */
const MAX_MESSAGE = 5000;

/** Number of hints shown. */
const MAX_HINTS = 3;

/** Advice for the mistakes that the messages of an error tell of. */
export function errorHints(messages: readonly string[]): string[] {
  const found = messages
    .slice(0, 2 * MAX_HINTS)
    .flatMap((message) => HINTS.find(([pattern]) => pattern.test(message.slice(0, MAX_MESSAGE)))?.[1] ?? []);
  return [...new Set(found)].slice(0, MAX_HINTS);
}
