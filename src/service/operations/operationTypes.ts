import type {
  BillRow,
  BillsParams,
  MentionRow,
  MentionsParams,
  PeopleParams,
  PersonParams,
  PersonRow,
  ProgramDetailsRow,
  ProgramParams,
  ProgramRow,
  ProgramsSearchParams,
} from "./interfaces.js";
import type { OperationName } from "./operations.js";

/** Parameters and row of each operation. */
interface Interfaces {
  bills: { params: BillsParams; row: BillRow };
  mentions: { params: MentionsParams; row: MentionRow };
  people: { params: PeopleParams; row: PersonRow };
  person: { params: PersonParams; row: PersonRow };
  programsSearch: { params: ProgramsSearchParams; row: ProgramRow };
  program: { params: ProgramParams; row: ProgramDetailsRow };
}

/** The parameters of an operation: {@link MentionsParams} of `"mentions"`, for example. */
export type ParametersOf<N extends OperationName> = Interfaces[N]["params"];

/** The options argument of a method that takes all parameters by name; it may be omitted if no parameter is required. */
export type Arguments<N extends OperationName, O> =
  Record<never, never> extends Interfaces[N]["params"] ? [options?: O] : [options: O];

/** A row of an operation. */
export type RowOf<N extends OperationName> = Interfaces[N]["row"];
