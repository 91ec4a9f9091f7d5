import { invalid } from "../../errors/validators.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { operations } from "../../service/operations/operations.js";
import { corpusTable } from "./corpusTables.js";
import { readIndex } from "./tableFiles.js";

/** What happened to mentions, and the columns with the days. */
const EVENTS = [
  ["added", "first_seen"],
  ["changed", "changed"],
  ["vanished", "vanished"],
] as const;

/**
 * See `corpus.changes`.
 *
 * @param since a day, or a round
 */
export function changes(dir: string, tables: string, since: unknown): PolarsFrame {
  return typeof since === "number" ? changesSinceRound(dir, tables, since) : changesSinceDay(tables, since);
}

function changesSinceDay(dir: string, since: unknown): PolarsFrame {
  const checked = operations.mentions.parameters.date.check("since", since);
  const all = corpusTable(dir, "mentions");
  const day = pl.lit(checked).str.strptime(pl.Date, "%Y-%m-%d");
  const parts = EVENTS.map(([change, column]) =>
    all
      .filter(pl.col(column).gtEq(day))
      .select(pl.lit(change).alias("change"), pl.col(column).alias("day"), pl.col("*"))
      .collectSync(),
  ) as PolarsFrame[];
  return pl.concat(parts, { how: "diagonal" }).sort(["day", "change", "begintime", "id"]);
}

/** One row for each mention that the rounds after it have changed, as it is now. An open round is left out: more may follow. */
function changesSinceRound(dir: string, tables: string, since: number): PolarsFrame {
  if (!Number.isSafeInteger(since) || since < 0)
    throw invalid("since", since, "Give a day, or the number of a round, for example since: 3.");
  const closed = readIndex(dir)?.closed ?? 0;
  const round = pl.col("round");
  const change = pl
    .when(pl.col("vanished").isNotNull())
    .then(pl.lit("vanished"))
    .when(pl.col("changed").isNull())
    .then(pl.lit("added"))
    .otherwise(pl.lit("changed"))
    .alias("change");
  const day = pl.col("vanished").fillNull(pl.col("changed")).fillNull(pl.col("first_seen")).alias("day");
  return corpusTable(tables, "mentions")
    .filter(round.gt(pl.lit(since)).and(round.ltEq(pl.lit(closed))))
    .select(change, day, pl.col("*"))
    .sort(["round", "begintime", "id"])
    .collectSync() as PolarsFrame;
}
