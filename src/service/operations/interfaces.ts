import type { OperationName, Operations } from "./operations.js";
import type { Parameter } from "./parameters.js";

export type { ProgramSort } from "./parameters.js";

/** The parameters of a call, by name: those that are not required may be left out. */
type ParametersIn<N extends OperationName, P = Operations[N]["parameters"]> = {
  -readonly [N in keyof P as P[N] extends Parameter<unknown, true> ? N : never]: ValueOf<P[N]>;
} & {
  -readonly [N in keyof P as P[N] extends Parameter<unknown, true> ? never : N]?: ValueOf<P[N]> | null | undefined;
};

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** Parameters of `bills`. */
export interface BillsParams extends ParametersIn<"bills"> {}
/** Parameters of `mentions`. */
export interface MentionsParams extends ParametersIn<"mentions"> {}
/** Parameters of `people`. All of them are optional. */
export interface PeopleParams extends ParametersIn<"people"> {}
/** Parameters of `person`. */
export interface PersonParams extends ParametersIn<"person"> {}
/** Parameters of `programsSearch`. */
export interface ProgramsSearchParams extends ParametersIn<"programsSearch"> {}
/** Parameters of `program`. */
export interface ProgramParams extends ParametersIn<"program"> {}

/** A row of any operation, as the service sent it. Any declared member may be missing, and others may be added. */
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
