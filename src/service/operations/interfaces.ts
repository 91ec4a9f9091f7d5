import type { OperationName, Operations } from "./operations.js";
import type { Parameter } from "./parameters.js";

export type { ProgramSort } from "./parameters.js";

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
