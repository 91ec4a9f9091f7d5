import { createRequire } from "node:module";
import { PYTHON_MEMBERS, PYTHON_NAMES, PYTHON_TEXT_MEMBERS } from "./pythonNames.js";

/** The message of an error, and the line of the cell that caused it. */
export interface Fault {
  readonly message: string;
  readonly line?: string | undefined;
}

/** What to type instead, by message: frequent mistakes of Python users. */
const BY_MESSAGE: ReadonlyArray<readonly [message: RegExp, hint: string]> = [
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
    /'\{ (?:descending|reverse|ascending): boolean; \}' is not assignable|'(?:descending|reverse|ascending|by)' does not exist in type/,
    'The largest first: frame.sort("length", true), or frame.sort({ by: "length", descending: true }).',
  ],
  [
    /^Argument of type 'Expr' is not assignable to parameter of type 'ColumnSelection'/,
    'Groups are columns: frame.withColumns(perPeriod("begintime", "month")).groupBy("month").',
  ],
  [
    /^Cannot assign to '\w+' because it is a constant/,
    "An earlier cell declared it with const: declare it with let, or again with const.",
  ],
  [/^Property '(?:length|nrow)' does not exist on type '\w*Frame/, "The number of rows is frame.height."],
  [
    /^Property '(?:count|size)' does not exist on type '\w*GroupBy/,
    'Rows by value: valueCounts(frame, "person"). Other statistics: groupBy("person").agg(pl.col("length").sum()).',
  ],
  [
    /^Type '(?:boolean|(?:Series|Expr)\b.{0,200})' cannot be used as an index type/,
    'Rows are chosen by filter: frame.filter(where({ length: { gt: 60 } })), or frame.filter(pl.col("length").gt(60)).',
  ],
  [
    /^Type 'string\[\]' cannot be used as an index type/,
    'Several columns: frame.select("person", "text"). One: frame.getColumn("person").',
  ],
  [/^Property '\w+' does not exist on type 'any\[\]'/, "Rows as objects: toRecords(frame).map((row) => row.person)."],
  [
    /^Unknown JS variables cannot be represented/,
    "Conditions are made of columns, not of functions: frame.filter(where({ length: { gt: 60 } })).",
  ],
  [
    /^Given napi value is not an array|string' is not assignable to parameter of type '\w*JoinOptions/,
    'Options are an object: frame.join(other, { on: "person" }).',
  ],
  [
    /^Property '\w+' does not exist on type 'ArchiveClient[^']*'\.$/,
    'Searches are await archive.mentions("climate"), bills, people and programsSearch. Type archive. and Tab for all methods.',
  ],
  [
    /^Cannot find module '(?:pandas|numpy|polars|matplotlib|seaborn)\b/,
    'Frames are those of polars, in TypeScript: import { pl } from "archive-frames";',
  ],
  [
    /does not exist on type 'string \| number \| bigint \| boolean'/,
    'Name the types of the columns: import { toRecords, type FrameRow } from "archive-frames"; toRecords<FrameRow<"mentions">>(frame).',
  ],
  [
    /initializer of a 'using' declaration must/,
    "What takes time to close is closed by: await using archive = await openArchive();",
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

/** Lines of Python and of IPython. */
const BY_LINE: ReadonlyArray<readonly [line: RegExp, hint: string]> = [
  [
    /^\s*(?:import [\w.]+(?: as \w+)?\s*$|from [\w.]+ import )/,
    'Imports in TypeScript: import { openArchive, pl } from "archive-frames";',
  ],
  [/^\s*\?\w|\w\?+\s*$/, PYTHON_NAMES.help as string],
  [/(?:^|[(,=])\s*lambda\b/, "Functions in TypeScript: (value: number) => value / 2"],
  [
    /\[.{1,200} for \w+ in /,
    "Lists in TypeScript: list.map((each) => each.length), or list.filter((each) => each.length > 2)",
  ],
  [/\[[-\d ]{0,20}:[-\d ]{0,20}\]/, "Rows by position: frame.slice(0, 5). Elements of a list: list.slice(0, 5)."],
  [
    /^\s*(?:if|elif|else|while|try|except|with|class)\b.{0,200}:\s*(?:\w.{0,200})?$/,
    "Blocks in TypeScript have parentheses and braces: if (frame.height > 3) { … } else { … }",
  ],
  [/^\s*def \w+\(/, "Functions in TypeScript: const half = (value: number) => value / 2;"],
  [/^\s*for \w+ in /, "Loops in TypeScript: for (const row of toRecords(frame)) console.log(row.person);"],
  [/^\s*#/, "Comments in TypeScript: // text"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code to type.
  [/(?<![\w$])f["']/, "Texts with values in TypeScript: `${frame.height} rows`"],
  [
    /^\s*(?:[!%]\s*|(?:pip|conda|npm|npx) )\w/,
    "Cells are TypeScript. Programs run in a terminal, and the clock is console.time().",
  ],
  [/[(,]\s*\w+\s*=[^=>]/, 'Options are an object: frame.join(other, { on: "person" }).'],
];

/** Only the beginning of a longer message is searched. */
const MAX_MESSAGE = 5000;

const MAX_HINTS = 3;

/** What to type instead, for up to three faults. */
export function hintsFor(faults: readonly Fault[]): string[] {
  // A type tells apart what frames and texts both have in Python.
  const isTyped = faults.some(({ message }) => message.startsWith("Property '"));
  const found = faults.slice(0, 2 * MAX_HINTS).map(({ message, line = "" }) => {
    const text = message.slice(0, MAX_MESSAGE);
    const isSyntax = /^Cannot find name|expected\.|^Unexpected keyword|^Invalid character|^Circular/.test(text);
    return (
      (isSyntax ? firstOf(BY_LINE, line) : undefined) ??
      nameHint(/^Cannot find name '([\w$]+)'/.exec(text)?.[1], line) ??
      memberHint(text, line, isTyped) ??
      firstOf(BY_MESSAGE, text)
    );
  });
  return [...new Set(found.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
}

function firstOf(hints: ReadonlyArray<readonly [RegExp, string]>, text: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(text))?.[1];
}

function entryOf(table: Readonly<Record<string, string>>, name = ""): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The hint for an undeclared name: where to import it from, how to declare it, or what it is in TypeScript. */
function nameHint(name: string | undefined, line: string): string | undefined {
  if (name === undefined) return undefined;
  const found = importOf(name);
  if (found !== undefined) return `It needs an import: ${found}`;
  const typed = line.trim();
  if (typed.startsWith(name) && /^\s*=[^=]/.test(typed.slice(name.length)))
    return `Declare it: const ${typed.slice(0, 80)}`;
  const own = entryOf(PYTHON_NAMES, name);
  return own && `In TypeScript it is ${own}`;
}

/** A missing member of a frame, or of what belongs to one, in a type error. */
const OF_FRAME =
  /^Property '(\w+)' does not exist on type '(?:\w*DataFrame|PolarsFrame|Series|GroupBy|ArchiveScan|typeof pl\b)/;

/** The hint for a missing member, by its name in Python: of a type, of a value, or in the line whose value is undefined. */
function memberHint(message: string, line: string, isTyped: boolean): string | undefined {
  const ofText = /^Property '(\w+)' does not exist on type '(?:string|\w+\[\])'/.exec(message)?.[1];
  if (ofText !== undefined) return insteadOf(PYTHON_TEXT_MEMBERS, ofText);
  const ofFrame = OF_FRAME.exec(message)?.[1];
  const called = /\.(\w+) is not a function/.exec(message)?.[1];
  if (isTyped && entryOf(PYTHON_TEXT_MEMBERS, called) !== undefined) return undefined;
  const inLine = /^Cannot read properties of undefined/.test(message)
    ? [...line.matchAll(/\.(\w+)/g)].map(([, name]) => name).find((name) => entryOf(PYTHON_MEMBERS, name) !== undefined)
    : undefined;
  const found = insteadOf(PYTHON_MEMBERS, ofFrame ?? called ?? inLine) ?? insteadOf(PYTHON_TEXT_MEMBERS, called);
  if (found !== undefined || ofFrame === undefined || firstOf(BY_MESSAGE, message) !== undefined) return found;
  return `A column is frame.getColumn("${ofFrame}"), and frame.columns has the names of all.`;
}

/** The code for a name in a table, with the imports that it needs. */
function insteadOf(table: Readonly<Record<string, string>>, name: string | undefined): string | undefined {
  const code = entryOf(table, name);
  if (code === undefined) return undefined;
  const called = [...code.matchAll(/(?<![.\w"])(\w+)(?=[.(])/g)].flatMap(([, called = ""]) => importOf(called) ?? []);
  return [`Instead of ${name}: ${code}.`, ...new Set(called)].join(" ");
}

const ENTRIES = ["", "/notebook", "/text", "/coding", "/corpus", "/members"].map((entry) => `archive-frames${entry}`);

/** The import of a name that this package exports. */
function importOf(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  const entry = ENTRIES.find((each) => {
    try {
      return name in (require(each) as object);
    } catch {
      return false;
    }
  });
  return entry && `import { ${name} } from "${entry}";`;
}
