import { invalid, oneOf } from "../../errors/validators.js";
import { bill, type DeclaredColumns, mention, person, program, programDetails } from "./columns.js";
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

export type { ProgramSort } from "./parameters.js";

/** One of the six operations of the service. */
export interface Operation {
  /** Path below the base URL; `{id}` is replaced by the parameter `id`. */
  readonly path: string;
  /** What a row is, in a word: "mention". */
  readonly noun: string;
  /** The member of a response that holds the rows; `undefined` if the whole body is one row. */
  readonly rows: string | undefined;
  /** The declared columns, in order, with the type of their values. */
  readonly columns: DeclaredColumns;
  /** The parameters by name, each with its type, a note, and its check. */
  readonly parameters: Readonly<Record<string, Parameter<unknown>>>;
}

const cursor = text("cursor of the page to start from", "VQAAeXUBKgA");
const phrase = required(words("word or phrase to search for", "infrastructure"));

/**
 * The six operations: path, parameters with their checks, rows member, and declared columns. Validation, types, frames, the command line
 * and the API reference are derived from this table. The comment of a parameter begins with its note.
 *
 * @example
 * Object.keys(operations); //=> ["bills", "mentions", "people", "person", "programsSearch", "program"]
 */
export const operations = {
  bills: {
    path: "/bills",
    noun: "bill",
    rows: "bills",
    columns: bill,
    parameters: {
      /** Word or phrase to search for. In double quotes, an exact phrase: `'"clean air"'`. */
      query: phrase,
      /** Cursor of the page to start from. Default: the first page. */
      cursor,
    },
  },
  mentions: {
    path: "/mentions",
    noun: "mention",
    rows: "mentions",
    columns: mention,
    parameters: {
      /** Word or phrase to search for. In double quotes, an exact phrase: `'"climate change"'`. */
      query: phrase,
      /**
       * Rows per page. Default: 20; with `maxItems` and in scans, the client's `pageSize`. To get more rows than one page has, set
       * `maxItems`.
       */
      limit: count("rows per page", 50),
      /** Cursor of the page to start from. Default: the first page. */
      cursor,
      /** Id of the speaker, as in `people`: `6153`. Default: every speaker. */
      personid: id("id of the speaker", 6153),
      /** Day of the mention in UTC: `"2024-02-29"`. Default: every day. */
      date: date("day of the mention"),
      /** Last day of the mentions, in UTC. Default: no upper bound. */
      maxdate: date("last day of the mentions"),
      /** First day of the mentions, in UTC. Default: no lower bound. */
      mindate: date("first day of the mentions"),
      /** Congress of the mentions: sets `mindate` and `maxdate` to its first and last day. Default: every Congress. */
      congress: congress("Congress of the mentions"),
      /** Number of the page to start from, in pages of `limit` rows. Default: 1. */
      page: count("number of the page to start from", 2),
      /** Type of video: `"Speech"`, `"Debate"`. Default: every type. */
      videotype: text("type of video", "Speech"),
    },
  },
  people: {
    path: "/people",
    noun: "person",
    rows: "people",
    columns: person,
    parameters: {
      /** Name or title to match. */
      query: words("name or title to match", "Pelosi"),
      /** First name to match. */
      first: words("first name to match", "Nancy"),
      /** Last name to match. */
      last: words("last name to match", "Pelosi"),
      /** Cursor of the page to start from. Default: the first page. */
      cursor,
    },
  },
  person: {
    path: "/people/{id}",
    noun: "person",
    rows: "people",
    columns: person,
    parameters: {
      /** Internal or public id of the person. */
      id: required(id("internal or public id of the person", 6153)),
    },
  },
  programsSearch: {
    path: "/programs/search",
    noun: "program",
    rows: "programs",
    columns: program,
    parameters: {
      /**
       * Lucene query over the fields abstract, category, date, format, isbn, location, person, personid, series, sponsor, subject, tag,
       * text. The service fails on date ranges.
       */
      query: required(lucene("Lucene query")),
      /** Cursor of the page to start from. Default: the first page. */
      cursor,
      /** Sort order: popular or date, with a direction. Default: the order of the service. */
      sort: sort("sort order: popular or date, with a direction"),
    },
  },
  program: {
    path: "/programs/{id}",
    noun: "program",
    rows: undefined,
    columns: programDetails,
    parameters: {
      /** Numeric id of the program. The service refuses public ids such as `"556839-1"`. */
      id: required(programId("numeric id of the program")),
    },
  },
} as const satisfies Readonly<Record<string, Operation>>;

/** The table of operations, as a type. */
export type Operations = typeof operations;
/** The name of an operation. */
export type OperationName = keyof Operations;
/** The operations that take a parameter. */
export type OperationsWith<P extends string> = {
  [N in OperationName]: P extends keyof Operations[N]["parameters"] ? N : never;
}[OperationName];

/** The operations with pages. */
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

/** The parameter that methods take as their first argument, without its name. */
export function firstArgument(name: OperationName): string {
  return isSearch(name) ? "query" : "id";
}

/** The name of an operation, or the name that the interface specification uses for `programsSearch`. */
export type OperationSpelling<N extends OperationName = OperationName> =
  | N
  | (N extends "programsSearch" ? "programs_search" : never);

/** The name of an operation in either spelling. */
export type CanonicalName<S extends OperationSpelling> = S extends "programs_search"
  ? "programsSearch"
  : Exclude<S, "programs_search">;

/** Finds an operation by its name, or by its name in the specification (`programs_search`). */
export function operationNamed<N extends OperationName = OperationName>(
  value: unknown,
  names: readonly N[] = Object.keys(operations) as N[],
): N {
  return oneOf("operation", value === "programs_search" ? "programsSearch" : value, names);
}

/** The operation of a request path. @throws ValidationError for a path that no operation has */
export function operationOfPath(path: string): OperationName {
  const lookup = `${path.slice(0, path.lastIndexOf("/") + 1)}{id}`;
  const paths = path.endsWith("/") ? [] : [path, lookup];
  const names = Object.keys(operations) as OperationName[];
  // /programs/search also matches /programs/{id}, which comes later in the table.
  const name = names.find((each) => paths.includes(operations[each].path));
  if (name !== undefined) return name;
  throw invalid("path", path, "Give the path of an operation, for example /mentions.");
}

/** The parameters of an operation. */
export type ParametersOf<N extends OperationName, P = Operations[N]["parameters"]> = {
  -readonly [M in keyof P as P[M] extends Parameter<unknown, true> ? M : never]: ValueOf<P[M]>;
} & {
  -readonly [M in keyof P as P[M] extends Parameter<unknown, true> ? never : M]?: ValueOf<P[M]> | null | undefined;
};

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** The options of a method that takes all parameters by name. */
export type Arguments<N extends OperationName, O> =
  Record<never, never> extends ParametersOf<N> ? [options?: O] : [options: O];

/** A row as sent. Any member may be missing, and others may be added. */
export interface Row {
  [member: string]: unknown;
}

/** The columns of an operation. */
type Members<N extends OperationName, C = Operations[N]["columns"]> = {
  -readonly [M in keyof C]?: (C[M] extends "int" | "float" ? number : string) | null;
};

/** A row of `bills`: one bill. */
export interface BillRow extends Row, Members<"bills"> {}
/** A row of `mentions`: what one person said in a program. */
export interface MentionRow extends Row, Members<"mentions"> {}
/** A row of `people` and `person`: one person. */
export interface PersonRow extends Row, Members<"person"> {}
/** A row of `programsSearch`: one program. */
export interface ProgramRow extends Row, Members<"programsSearch"> {}
/** The row of `program`: a lookup has two more columns than a search. */
export interface ProgramDetailsRow extends Row, Members<"program"> {}

interface Rows {
  bills: BillRow;
  mentions: MentionRow;
  people: PersonRow;
  person: PersonRow;
  programsSearch: ProgramRow;
  program: ProgramDetailsRow;
}

/** A row of an operation. */
export type RowOf<N extends OperationName> = Rows[N];
