/** The part of the grammar library that the archive uses; the library itself comes without types. */
declare module "lucene" {
  /** A node as the grammar leaves it: a term, or a chain of two parts with the rest of the chain at the right. */
  interface GrammarNode {
    left?: GrammarNode;
    /** "AND", "OR", "NOT", "AND NOT", "OR NOT" or "<implicit>"; absent where there is no right part. */
    operator?: string;
    right?: GrammarNode;
    /** An operator in front of the first part. */
    start?: string;
    parenthesized?: boolean;
    /** "<implicit>" where the query names none; a sign in front of a field is left in its name. */
    field?: string;
    /** As typed: escapes are still in it. */
    term?: string;
    quoted?: boolean;
    regex?: boolean;
    similarity?: number | null;
    proximity?: number | null;
    prefix?: string | null;
  }
  const lucene: { parse(query: string): GrammarNode };
  export default lucene;
  export type { GrammarNode };
}
