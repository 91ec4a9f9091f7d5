import { ANY_ONE, ANY_RUN, type GlobPart } from "../search/glob.js";
import { fold } from "../search/tokens.js";

/** The text of a term without its escapes. //=> withoutEscapes("a\\:b") is "a:b" */
export function withoutEscapes(value: string): string {
  return value.replace(/\\(.)/gs, "$1");
}

/** The pattern of a term that holds a wildcard which is not escaped, else undefined. */
export function wildcardPattern(value: string): GlobPart[] | undefined {
  const parts: GlobPart[] = [];
  let wild = false;
  for (const [piece] of value.matchAll(/\\?./gsu)) {
    if (piece === "*" || piece === "?") {
      parts.push(piece === "*" ? ANY_RUN : ANY_ONE);
      wild = true;
    } else {
      parts.push(...fold(withoutEscapes(piece)));
    }
  }
  return wild ? parts : undefined;
}
