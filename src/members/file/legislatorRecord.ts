/**
 * A member in the layout of the project congress-legislators, with the fields that are read here. Its files have many more.
 *
 * @example
 * const record: LegislatorRecord = {
 *   id: { bioguide: "C000127", cspan: 26137 },
 *   name: { first: "Maria", last: "Cantwell" },
 *   terms: [{ type: "sen", start: "2025-01-03", end: "2031-01-03", state: "WA", party: "Democrat" }],
 * };
 */
export interface LegislatorRecord {
  /** `cspan` is the person id of the archive. */
  readonly id: {
    readonly bioguide: string;
    readonly icpsr?: number | null | undefined;
    readonly cspan?: number | null | undefined;
    readonly wikipedia?: string | null | undefined;
    readonly ballotpedia?: string | null | undefined;
  };
  /** The parts of the name. */
  readonly name: {
    readonly first: string;
    readonly last: string;
    readonly middle?: string | null | undefined;
    readonly nickname?: string | null | undefined;
    readonly suffix?: string | null | undefined;
    readonly official_full?: string | null | undefined;
  };
  /** Former names. */
  readonly other_names?: ReadonlyArray<{ readonly last?: string | null | undefined }> | null | undefined;
  /** One per election, appointment or Congress. */
  readonly terms: readonly TermRecord[];
}

/** A term in the layout of the project congress-legislators. Days are `yyyy-mm-dd`. */
export interface TermRecord {
  /** Senator or representative. */
  readonly type: "sen" | "rep";
  /** First day. */
  readonly start: string;
  /** Last day. */
  readonly end: string;
  /** Two letters. */
  readonly state: string;
  /** Of a representative: 0 for the whole state. */
  readonly district?: number | null | undefined;
  /** For example "Democrat". */
  readonly party?: string | null | undefined;
  /** The party that an independent sits with. */
  readonly caucus?: string | null | undefined;
  /** Only if the party changed during the term. */
  readonly party_affiliations?:
    | ReadonlyArray<{
        readonly start: string;
        readonly end: string;
        readonly party?: string | null | undefined;
        readonly caucus?: string | null | undefined;
      }>
    | null
    | undefined;
}
