import { invalid, oneOf } from "../../errors/validators.js";
import type { MemberType } from "../../pages/rows.js";
import {
  congress,
  count,
  date,
  id,
  lucene,
  type Parameter,
  programId,
  required,
  sort,
  text,
  words,
} from "./parameters.js";
import type {
  BillsParams,
  MentionsParams,
  PeopleParams,
  PersonParams,
  ProgramParams,
  ProgramsSearchParams,
} from "./params.js";
import type { BillRow, MentionRow, PersonRow, ProgramDetailsRow, ProgramRow, Row } from "./rows.js";

/** The declared columns of an operation, in order, with the type of their values. */
export type DeclaredColumns = Readonly<Record<string, MemberType>>;

/** Parameters and row of each operation. */
interface Interfaces {
  bills: { params: BillsParams; row: BillRow };
  mentions: { params: MentionsParams; row: MentionRow };
  people: { params: PeopleParams; row: PersonRow };
  person: { params: PersonParams; row: PersonRow };
  programsSearch: { params: ProgramsSearchParams; row: ProgramRow };
  program: { params: ProgramParams; row: ProgramDetailsRow };
}

/** One of the six operations of the service. */
export interface Operation {
  /** Path below the base URL; `{id}` is replaced by the parameter `id`. */
  readonly path: string;
  /** What the operation does, in one sentence. */
  readonly purpose: string;
  /** What a row is, in a word: "mention". */
  readonly noun: string;
  /** The member of a response that holds the rows; `undefined` if the whole body is one row. */
  readonly rows: string | undefined;
  /** The declared columns, in order, with the type of their values. */
  readonly columns: DeclaredColumns;
  /** The parameters by name, each with its type, a note, and its check. */
  readonly parameters: Readonly<Record<string, Parameter<unknown>>>;
  /** The parameter that methods take as their first argument, without its name. */
  readonly first: string;
}

/** The columns that a row interface declares: their names, and the types that fit their values. */
type ColumnsOf<R extends Row> = {
  readonly [M in keyof R as string extends M ? never : M]-?: NonNullable<R[M]> extends number
    ? "int" | "float"
    : "string" | "datetime";
};

/** The entries that a parameter interface declares: their names, value types, and which are required. */
type ParametersFor<P> = {
  readonly [N in keyof P]-?: Parameter<NonNullable<P[N]>> & {
    readonly required: undefined extends P[N] ? false : true;
  };
};

const cursor = text("cursor of the page to start from", "VQAAeXUBKgA");
const phrase = required(words("word or phrase to search for", "infrastructure"));

const bill = {
  id: "int",
  congress: "int",
  billnumber: "string",
  billtitle: "string",
  link: "string",
} as const satisfies ColumnsOf<BillRow>;

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
} as const satisfies ColumnsOf<MentionRow>;

const person = {
  id: "int",
  name: "string",
  firstName: "string",
  lastName: "string",
  title: "string",
  publicId: "string",
  personLink: "string",
  imagePath: "string",
} as const satisfies ColumnsOf<PersonRow>;

const program = {
  id: "int",
  title: "string",
  date: "datetime",
  description: "string",
  videoLink: "string",
  imagePath: "string",
  jwplayerId: "string",
} as const satisfies ColumnsOf<ProgramRow>;

/**
 * The six operations: path, parameters with their checks, rows member, and declared columns. Validation, frames, the
 * command line and the API reference are derived from this table.
 *
 * `satisfies` checks it against the documented interfaces of `params.ts` and `rows.ts`: a parameter or a column that is
 * in one place only does not compile.
 *
 * @example
 * Object.keys(operations); //=> ["bills", "mentions", "people", "person", "programsSearch", "program"]
 */
export const operations = {
  bills: {
    path: "/bills",
    purpose: "Search bill information.",
    noun: "bill",
    rows: "bills",
    columns: bill,
    parameters: { query: phrase, cursor },
    first: "query",
  },
  mentions: {
    path: "/mentions",
    purpose: "Search programming for spoken words or phrases.",
    noun: "mention",
    rows: "mentions",
    columns: mention,
    parameters: {
      query: phrase,
      limit: count("rows per page", 50),
      cursor,
      personid: id("id of the speaker", 6153),
      date: date("day of the mention"),
      maxdate: date("last day of the mentions"),
      mindate: date("first day of the mentions"),
      congress: congress("Congress of the mentions"),
      page: count("number of the page to start from", 2),
      videotype: text("type of video", "Speech"),
    },
    first: "query",
  },
  people: {
    path: "/people",
    purpose: "Search people.",
    noun: "person",
    rows: "people",
    columns: person,
    parameters: {
      query: words("name or title to match", "Pelosi"),
      first: words("first name to match", "Nancy"),
      last: words("last name to match", "Pelosi"),
      cursor,
    },
    first: "query",
  },
  person: {
    path: "/people/{id}",
    purpose: "Fetch one person. An unknown id returns no rows.",
    noun: "person",
    rows: "people",
    columns: person,
    parameters: { id: required(id("internal or public id of the person", 6153)) },
    first: "id",
  },
  programsSearch: {
    path: "/programs/search",
    purpose: "Search programs.",
    noun: "program",
    rows: "programs",
    columns: program,
    parameters: {
      query: required(
        lucene(
          "Lucene query over the fields abstract, category, date, format, isbn, location, person, personid, series, sponsor, subject, tag, text",
        ),
      ),
      cursor,
      sort: sort("sort order: popular or date, with a direction"),
    },
    first: "query",
  },
  program: {
    path: "/programs/{id}",
    purpose: "Fetch one program.",
    noun: "program",
    rows: undefined,
    columns: { ...program, publicId: "string", videoDuration: "int" } satisfies ColumnsOf<ProgramDetailsRow>,
    parameters: { id: required(programId("numeric id of the program")) },
    first: "id",
  },
} as const satisfies {
  [N in keyof Interfaces]: Operation & { parameters: ParametersFor<Interfaces[N]["params"]> };
};

/** The table of operations, as a type. */
export type Operations = typeof operations;
/** The name of an operation: `"bills"`, `"mentions"`, … */
export type OperationName = keyof Operations;
/** The operations that take a parameter. */
export type OperationsWith<P extends string> = {
  [N in OperationName]: P extends keyof Operations[N]["parameters"] ? N : never;
}[OperationName];

/** The operations that return pages with a cursor. */
export type SearchName = OperationsWith<"cursor">;

/** Whether an operation takes a parameter: "limit", for example, if it lets the caller choose the rows of a page. */
export function takes<P extends string>(name: OperationName, parameter: P): name is OperationsWith<P> {
  return parameter in operations[name].parameters;
}

/** Whether an operation returns pages with a cursor. */
export function isSearch(name: OperationName): name is SearchName {
  return "cursor" in operations[name].parameters;
}

/** The operations that return pages with a cursor. */
export const SEARCHES: readonly SearchName[] = (Object.keys(operations) as OperationName[]).filter(isSearch);

/** The parameters of an operation: {@link MentionsParams} of `"mentions"`, for example. */
export type ParametersOf<N extends OperationName> = Interfaces[N]["params"];

/** The options argument of a method that takes all parameters by name; it may be omitted if no parameter is required. */
export type Arguments<N extends OperationName, O> =
  Record<never, never> extends Interfaces[N]["params"] ? [options?: O] : [options: O];

/** A row of an operation. */
export type RowOf<N extends OperationName> = Interfaces[N]["row"];

/** The searches whose pages have numbers. */
export const NUMBERED = SEARCHES.filter((name): name is OperationsWith<"page"> => takes(name, "page"));

/** The name of an operation, or the name that the interface specification uses for `programsSearch`. */
export type OperationSpelling<N extends OperationName = OperationName> =
  | N
  | (N extends "programsSearch" ? "programs_search" : never);

/** The name of an operation in either spelling. */
export type Named<S extends OperationSpelling> = S extends "programs_search"
  ? "programsSearch"
  : Exclude<S, "programs_search">;

/** Finds an operation by its name, or by its name in the specification (`programs_search`). */
export function operationNamed<N extends OperationName = OperationName>(
  value: unknown,
  names: readonly N[] = Object.keys(operations) as N[],
): N {
  return oneOf("operation", value === "programs_search" ? "programsSearch" : value, names);
}

/**
 * The operation of a request path.
 *
 * @throws ValidationError for a path that no operation has
 */
export function operationOfPath(path: string): OperationName {
  const lookup = `${path.slice(0, path.lastIndexOf("/") + 1)}{id}`;
  const paths = path.endsWith("/") ? [] : [path, lookup];
  const names = Object.keys(operations) as OperationName[];
  // The table has /programs/search before /programs/{id}, which it is not.
  const name = names.find((each) => paths.includes(operations[each].path));
  if (name !== undefined) return name;
  throw invalid("path", path, "Give the path of an operation, for example /mentions.");
}
