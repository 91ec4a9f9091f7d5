import type { MemberType } from "../json/rowShape.js";
import { count, date, id, lucene, type Parameter, programId, required, sort, text } from "./parameters.js";

/** Declared members of a kind of row, in the order of the columns, and what they hold. */
export type DeclaredColumns = Readonly<Record<string, MemberType>>;

/** One of the six operations of the service. */
export interface Operation {
  /** Path below the base URL; `{id}` stands for the parameter `id`. */
  readonly path: string;
  readonly purpose: string;
  /** The member of a response that holds the rows; `undefined` where the body is one row. */
  readonly rows: string | undefined;
  readonly columns: DeclaredColumns;
  readonly parameters: Readonly<Record<string, Parameter<unknown>>>;
  /** The parameter that can be given without its name, first. */
  readonly first: string;
}

const cursor = text("where to go on: the cursor of an earlier response", "VQAAeXUBKgA");
const phrase = required(
  text("word or phrase to search for; in double quotes inside the text, an exact phrase", "infrastructure"),
);

const bill = {
  id: "int",
  congress: "int",
  billnumber: "string",
  billtitle: "string",
  link: "string",
} as const satisfies DeclaredColumns;

const mention = {
  id: "string",
  begintime: "datetime",
  length: "int",
  personid: "int",
  person: "string",
  text: "string",
  programid: "int",
  programPublicId: "string",
  programTitle: "string",
  videoTypeId: "int",
  link: "string",
} as const satisfies DeclaredColumns;

const person = {
  id: "int",
  name: "string",
  firstName: "string",
  lastName: "string",
  title: "string",
  publicId: "string",
  personLink: "string",
  imagePath: "string",
} as const satisfies DeclaredColumns;

const program = {
  id: "int",
  title: "string",
  date: "datetime",
  description: "string",
  videoLink: "string",
  imagePath: "string",
  jwplayerId: "string",
} as const satisfies DeclaredColumns;

/**
 * The six operations: paths, parameters with their checks, where the rows are, and the declared columns. Methods,
 * types, validation and the reference in the README follow from this table.
 */
export const operations = {
  bills: {
    path: "/bills",
    purpose: "Search bill information.",
    rows: "bills",
    columns: bill,
    parameters: { query: phrase, cursor },
    first: "query",
  },
  mentions: {
    path: "/mentions",
    purpose: "Search programming for spoken words or phrases.",
    rows: "mentions",
    columns: mention,
    parameters: {
      query: phrase,
      limit: count("rows of one page; the service's default is 20", 50),
      cursor,
      personid: id("only what this person said; the id of a row of people", 6153),
      date: date("only what was said on this day"),
      maxdate: date("only what was said on or before this day"),
      mindate: date("only what was said on or after this day"),
      page: count("number of the page; the service's default is 1", 2),
      videotype: text("only this type of video, for example Speech or Debate", "Speech"),
    },
    first: "query",
  },
  people: {
    path: "/people",
    purpose: "Search people.",
    rows: "people",
    columns: person,
    parameters: {
      query: text("name or title to match", "Pelosi"),
      first: text("first name to match", "Nancy"),
      last: text("last name to match", "Pelosi"),
      cursor,
    },
    first: "query",
  },
  person: {
    path: "/people/{id}",
    purpose: "Fetch one person. An unknown id gives no rows, not an error.",
    rows: "people",
    columns: person,
    parameters: { id: required(id("internal or public id of the person", 6153)) },
    first: "id",
  },
  programsSearch: {
    path: "/programs/search",
    purpose: "Search programs.",
    rows: "programs",
    columns: program,
    parameters: {
      query: required(
        lucene(
          "Lucene query over abstract, category, date, format, isbn, location, person, personid, series, sponsor, subject, tag, text",
        ),
      ),
      cursor,
      sort: sort("popular or date, with a direction"),
    },
    first: "query",
  },
  program: {
    path: "/programs/{id}",
    purpose: "Fetch one program.",
    rows: undefined,
    columns: { ...program, publicId: "string", videoDuration: "int" },
    parameters: { id: required(programId("numeric id of the program; its public id is refused by the service")) },
    first: "id",
  },
} as const satisfies Record<string, Operation>;

/** The table of operations, as a type. */
export type Operations = typeof operations;
/** The name of an operation: `"bills"`, `"mentions"`, … */
export type OperationName = keyof Operations;
/** The operations whose results are pages with a cursor. */
export type SearchName = "bills" | "mentions" | "people" | "programsSearch";

/** Whether an operation's results are pages with a cursor. */
export function isSearch(name: OperationName): name is SearchName {
  return "cursor" in operations[name].parameters;
}

/** The values that the parameters of an operation take. */
export type ParametersOf<N extends OperationName> = {
  [P in keyof Operations[N]["parameters"]]?:
    | (Operations[N]["parameters"][P] extends Parameter<infer T> ? T : never)
    | null
    | undefined;
};

/** The parameters that an operation cannot do without. */
export type NeededOf<N extends OperationName> = {
  [P in keyof Operations[N]["parameters"] as Operations[N]["parameters"][P] extends { readonly required: true }
    ? P
    : never]: Operations[N]["parameters"][P] extends Parameter<infer T> ? T : never;
};

/** Parameters as one argument, which may be left out where nothing is needed. */
export type Arguments<N extends OperationName, O> =
  Record<never, never> extends NeededOf<N> ? [options?: O] : [options: O & NeededOf<N>];

interface MemberValues {
  string: string;
  datetime: string;
  int: number;
  float: number;
  bool: boolean;
  null: null;
}

/** A row as the service sent it. Members may be missing, and there may be more than the declared ones. */
export type RowOf<N extends OperationName> = {
  [M in keyof Operations[N]["columns"]]?: MemberValues[Operations[N]["columns"][M] & MemberType] | null;
} & Row;

/** A row of any kind. */
export interface Row {
  [member: string]: unknown;
}

/** A bill: `id`, `congress`, `billnumber` (digits without prefix), `billtitle`, `link`. */
export type BillRow = RowOf<"bills">;
/** A mention: what was said, by whom, when, in which program. */
export type MentionRow = RowOf<"mentions">;
/** A person. */
export type PersonRow = RowOf<"people">;
/** A program; a lookup has more members than a search. */
export type ProgramRow = RowOf<"programsSearch">;
