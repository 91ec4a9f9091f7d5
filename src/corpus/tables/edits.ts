import { type PolarsFrame, pl } from "../../frames/polars.js";
import { KEY, MONTH } from "./derivation.js";
import { BEFORE, HASH, isSame, ORDER, SEARCH } from "./monthRows.js";
import type { Use } from "./uses.js";

const col = pl.col;
const IS_SAME_KEY = isSame(MONTH).and(isSame(KEY)).fillNull(false);
/** Of sorted rows: whether the row before is of the same mention, or of the same hit. */
export const SAME_KEY = IS_SAME_KEY.alias("~same");
export const SAME_HIT = IS_SAME_KEY.and(isSame(SEARCH)).fillNull(false).alias("~same");
export const IS_FIRST = col("~same").not();
export const LAST = col("~same").shift(-1).fillNull(false).not().alias("~last");
export const IS_LAST = col("~last");
const IS_EDIT = col("~same").and(col(HASH).neq(col(HASH).shift(1)));
const NOW = col(HASH).alias("~now");
const IS_NOW = col(HASH).eq(col("~now")).alias("~is_now");
const TEXTS = ["~row", KEY, ORDER, BEFORE, HASH].map((name) => col(name));

/** The rows of mentions that have had several texts, with the hash of the present one; undefined if none has. */
export function textsOf(said: PolarsFrame): PolarsFrame | undefined {
  const edited = said.filter(IS_EDIT).select(KEY).unique();
  if (edited.height === 0) return undefined;
  return said
    .select(...TEXTS)
    .join(edited, { on: KEY, how: "semi" })
    .join(said.filter(IS_LAST).select(col(KEY), NOW), { on: KEY, how: "left" });
}

/** By key, the uses that have the present text of a mention, and those that have another. */
export function changesOf(
  texts: PolarsFrame,
  uses: ReadonlyMap<number, Use>,
): ReadonlyMap<string, Readonly<Record<"now" | "other", readonly Use[]>>> {
  const byKey = new Map<string, { now: Use[]; other: Use[] }>();
  const rows = texts.select(col(KEY), col(ORDER), IS_NOW).rows() as Array<[string, number, boolean]>;
  for (const [key, order, isNow] of rows) {
    const own = byKey.get(key) ?? { now: [], other: [] };
    byKey.set(key, own);
    own[isNow ? "now" : "other"].push(uses.get(order) as Use);
  }
  return byKey;
}
