import type { BillKind } from "./judge/billKinds.js";

/** A query for a bill. */
export interface QueryVariant {
  readonly query: string;
  /** What of the bill it searches, with # for the number: "title", "H.R. #", "# in words". */
  readonly form: string;
  readonly part: "title" | "number" | "words" | "given";
  /** It names a chamber that the bill may not be of. */
  readonly isAmbiguous?: boolean | undefined;
  /** The kind whose prefix it has; undefined if it suits all kinds. */
  readonly kind?: BillKind | undefined;
  /** It finds more than the bill: digits without prefix, a title without Act. */
  readonly isWide?: boolean | undefined;
  /** What other queries find decides whether it is sent. */
  readonly isLater?: boolean | undefined;
  /** It is sent only if this query has found something. */
  readonly after?: string | undefined;
}

/** The form of a title without its last word, which also finds the possessive and "… bill". */
export const TITLE_STEM = "title without Act";

/** Whether a title without its last word finds what a query finds: the query begins with its words. */
export function isWithin({ query }: QueryVariant, stem: QueryVariant): boolean {
  return query.toLowerCase().startsWith(`${stem.query.slice(0, -1).toLowerCase()} `);
}

/** Soft hyphens, joiners and direction marks, which copied text may contain. */
const INVISIBLE = /\p{Cf}/gu;

/** A query for a phrase: the service finds it word for word. Inner quotes and invisible characters are removed, white space is collapsed. */
export function variant(
  text: string,
  form: string,
  part: QueryVariant["part"],
  more: Partial<QueryVariant> = {},
): QueryVariant {
  const words = text.replace(INVISIBLE, "").replaceAll('"', "").trim().replace(/\s+/g, " ");
  return { query: `"${words}"`, form, part, ...more };
}
