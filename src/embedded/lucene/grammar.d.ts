/** The part of the `lucene` library that is used here; the library ships no types. */
declare module "lucene" {
  /** A node of the syntax tree: a term, or a right-nested chain of operands. */
  interface GrammarNode {
    left?: GrammarNode;
    /** "AND", "OR", "NOT", "AND NOT", "OR NOT" or "<implicit>"; absent without a right operand. */
    operator?: string;
    right?: GrammarNode;
    /** An operator before the first operand. */
    start?: string;
    parenthesized?: boolean;
    /** "<implicit>" if the query names none. A sign before a field stays in its name. */
    field?: string;
    /** As typed, with escapes. */
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
