import type { Engine } from "../frames/engine.js";
import type { BillsParams, MentionsParams, PeopleParams, ProgramsSearchParams } from "../service/operations/params.js";
import type { SearchResultOptions } from "./callOptions.js";
import type { Format } from "./formats.js";

// One name per search: editors and error messages show it instead of its parts.

type AnyFormat = Format | undefined;
type AnyEngine = Engine | undefined;
type AnyMaximum = number | undefined;

/**
 * Parameters and options of `bills`, besides the query.
 *
 * @typeParam F its `format`
 * @typeParam E its `engine`
 * @typeParam M its `maxItems`
 */
export type BillsOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<BillsParams, "query"> &
  SearchResultOptions<F, E, M>;

/** Parameters and options of `mentions`, besides the query. Type parameters as in {@link BillsOptions}. */
export type MentionsOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<MentionsParams, "query"> &
  SearchResultOptions<F, E, M>;

/** Parameters and options of `people`. Type parameters as in {@link BillsOptions}. */
export type PeopleOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = PeopleParams & SearchResultOptions<F, E, M>;

/** Parameters and options of `programsSearch`, besides the query. Type parameters as in {@link BillsOptions}. */
export type ProgramsSearchOptions<F = AnyFormat, E = AnyEngine, M = AnyMaximum> = Omit<ProgramsSearchParams, "query"> &
  SearchResultOptions<F, E, M>;
