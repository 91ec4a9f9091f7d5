import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { selectColumns } from "../../frames/frameColumns.js";
import { type PolarsFrame, pl } from "../../frames/polars.js";
import { toFileError } from "../../fs/toFileError.js";
import { sum } from "../../util/sum.js";
import { COMPACTED, type CompactedMonth, compactedPath, isCompactedPath, readCompacted } from "../raw/compacted.js";
import type { Landing } from "../raw/landing.js";
import { type CorpusStorage, directoryStorage } from "../raw/storage.js";
import { type Derivation, KEY, MONTH, PATH, SENT_ID } from "./derivation.js";
import { changesOf, IS_FIRST, IS_LAST, LAST, SAME_HIT, SAME_KEY, textsOf } from "./edits.js";
import { type MonthFile, MonthFiles } from "./monthFiles.js";
import { BEFORE, END, HAS_CONTENT, HASH, IS_SLIM, ORDER, rowsOfMonths, SEARCH } from "./monthRows.js";
import { changeOf, filesOfUses, type Place, type Use, useKey, usesOf } from "./uses.js";

/**
 * What `corpus.compact()` removed.
 *
 * @example
 * const { rows, bytes } = await corpus.compact();
 */
export interface Compaction {
  /** Rows of `raw/` that no table needs. */
  readonly rows: number;
  /** Bytes by which `raw/` became smaller. */
  readonly bytes: number;
}

/** The directory in `work/` of unfinished files. If it is there, a compaction was killed. */
export const COMPACTING = "compacting";

/**
 * Writes the rows of superseded landings that tables still need to one file for each month, and deletes the files that had them. The
 * tables are the same before and after, and if it is killed in between.
 *
 * @param isDue whether to compact a month
 */
export async function compactMonths(
  dir: string,
  work: string,
  landings: readonly Landing[],
  derivation: Derivation,
  isDue: (month: MonthSize) => boolean,
): Promise<Compaction> {
  const storage = directoryStorage(dir);
  const superseded = supersededUses(derivation);
  const months = [...superseded].flatMap(([month, uses]) => {
    const size = sizeOf(derivation.uses.get(month) as readonly Use[], uses);
    return isDue({ month, ...size }) ? [month] : [];
  });
  if (months.length === 0) return { rows: 0, bytes: 0 };
  const compacted = { ...(await readCompacted(storage)) };
  const scratch = join(work, COMPACTING);
  const files = new MonthFiles(scratch);
  const toCompact = months.flatMap((month) => [
    ...(superseded.get(month) as readonly Use[]),
    ...(derivation.uses.get(month) as readonly Use[]).filter((use) => use.compacted !== undefined),
  ]);
  const removed = { rows: 0, bytes: 0 };
  try {
    const own = { ...derivation, shared: new Map() };
    for await (const { months: batch, rows, isLast } of rowsOfMonths(dir, join(scratch, "ranges"), own, months)) {
      files.add(neededRows(rows, derivation, toCompact), (month) => month);
      if (!isLast) continue;
      for (const month of batch) {
        const file = await files.take(month);
        if (file === undefined) continue;
        const uses = toCompact.filter(({ partition }) => partition === month);
        const written = await putCompacted(storage, month, file, uses);
        for (const name of ["rows", "bytes"] as const)
          removed[name] += sum(filesOfUses(uses).map((file) => file[name])) - written[name];
        compacted[month] = written;
      }
    }
    await storage.put(COMPACTED, JSON.stringify(compacted));
    await removeCompacted(storage, landings);
  } catch (error) {
    throw toFileError(error, join(dir, "raw"));
  }
  rmSync(scratch, { recursive: true, force: true });
  return removed;
}

/** Rows of a month: of superseded landings, of the latest ones, and what was compacted before. */
export interface MonthSize {
  readonly month: string;
  readonly superseded: number;
  readonly latest: number;
  readonly compacted: number;
}

function sizeOf(uses: readonly Use[], superseded: readonly Use[]): Omit<MonthSize, "month"> {
  const countOf = (some: readonly Use[]) => sum(filesOfUses(some).map(({ rows }) => rows));
  const old = new Set(superseded);
  return {
    superseded: countOf(superseded),
    latest: countOf(uses.filter((use) => use.compacted === undefined && !old.has(use))),
    compacted: countOf(uses.filter((use) => use.compacted !== undefined)),
  };
}

/** The uses of windows that have landed again without them, by month. The last days of a search are a window of their own. */
function supersededUses({ uses }: Derivation): ReadonlyMap<string, readonly Use[]> {
  const roundOf = ({ seen }: Use) => (seen.at(-1) as Place)[0];
  const latest = new Map<string, number>();
  const nameOf = ({ search, window }: Use) => `${search} ${window}`;
  for (const use of [...uses.values()].flat())
    latest.set(nameOf(use), Math.max(roundOf(use), latest.get(nameOf(use)) ?? 0));
  const isOld = (use: Use) => !use.isCurrent || roundOf(use) < (latest.get(nameOf(use)) as number);
  const old = [...uses].map(([month, all]): [string, Use[]] => [
    month,
    all.filter((use) => use.compacted === undefined && isOld(use)),
  ]);
  return new Map(old.filter(([, all]) => all.length > 0));
}

const col = pl.col;
const ROW = "~row";
const KEYS = [ROW, MONTH, SEARCH, KEY, SENT_ID, ORDER, END, BEFORE, HASH].map((name) => col(name));
const IS_RENAMED = col(KEY).neq(col(SENT_ID)).fillNull(true);
const HAS_NO_CONTENT = col(HASH).isNull().alias(IS_SLIM);
const IS_ALL_SLIM = pl.lit(true).alias(IS_SLIM);

/**
 * The rows that tables need, now and after any later landing: the last one of each hit; of an edited mention the last one with another text
 * and the first one after it; all rows without an id of their own, and of mentions that have moved. Of the first one of each hit its id.
 */
function neededRows(rows: PolarsFrame, { schema, shared, uses }: Derivation, toCompact: readonly Use[]): PolarsFrame {
  const numbered = rows.withRowCount(ROW);
  const all = numbered.select(...KEYS);
  const moved = pl.DataFrame({ [SENT_ID]: pl.Series(SENT_ID, [...shared.keys()], pl.String) });
  const slim = all.join(moved, { on: SENT_ID, how: "anti" });
  const withContent = slim.filter(HAS_CONTENT);
  const first = slim.sort([MONTH, SEARCH, KEY, ORDER]).withColumns(SAME_HIT).filter(IS_FIRST);
  const said = withContent.sort([MONTH, KEY, END]).withColumns(SAME_KEY).withColumns(LAST);
  const renamed = slim.filter(IS_RENAMED);
  const needed = [
    withContent.sort([MONTH, SEARCH, KEY, END]).withColumns(SAME_HIT).withColumns(LAST).filter(IS_LAST),
    renamed,
    slim.join(renamed.select(SENT_ID).unique(), { on: SENT_ID, how: "semi" }),
    all.join(moved, { on: SENT_ID, how: "semi" }),
    ...editedRows(said, new Map([...uses.values()].flat().map((use) => [use.order, use]))),
  ];
  const whole = pl
    .concat(
      needed.map((some) => some.select(ROW)),
      { how: "diagonal" },
    )
    .unique();
  const ids = first.select(ROW).join(whole, { on: ROW, how: "anti" });
  const orders = toCompact.map(({ order }) => order);
  const keys = pl.DataFrame({ [ORDER]: pl.Series(ORDER, orders, pl.Float64), [PATH]: toCompact.map(useKey) });
  const own = numbered.join(keys, { on: ORDER, how: "inner" });
  const names = [MONTH, PATH, IS_SLIM, SENT_ID];
  const parts = [
    selectColumns(own.join(whole, { on: ROW, how: "semi" }).withColumns(HAS_NO_CONTENT), [...names, ...schema.keys()]),
    selectColumns(own.join(ids, { on: ROW, how: "semi" }).withColumns(IS_ALL_SLIM), [...names, "id"]),
  ];
  return pl.concat(parts, { how: "diagonal" }).sort([MONTH, PATH]);
}

function editedRows(said: PolarsFrame, uses: ReadonlyMap<number, Use>): PolarsFrame[] {
  const texts = textsOf(said);
  if (texts === undefined) return [];
  const places = [...changesOf(texts, uses)].flatMap(([key, { now, other }]) => {
    const { before, since } = changeOf(now, other);
    return [before, since.use].map(({ order }) => ({ key, order }));
  });
  const orders = places.map(({ order }) => order);
  const keys = places.map(({ key }) => key);
  const table = pl.DataFrame({ [KEY]: keys, [ORDER]: pl.Series(ORDER, orders, pl.Float64) });
  return [texts.join(table, { on: [KEY, ORDER], how: "semi" })];
}

async function putCompacted(
  storage: CorpusStorage,
  month: string,
  { path: file, rows, schema }: MonthFile,
  uses: readonly Use[],
): Promise<CompactedMonth> {
  const bytes = readFileSync(file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = compactedPath(month, sha256);
  await storage.put(path, { file });
  const rounds = uses.map((use) => [useKey(use), (use.seen.at(-1) as Place)[0]]);
  return { path, rows, bytes: bytes.length, sha256, schema, uses: Object.fromEntries(rounds) };
}

/**
 * Deletes the files that a finished compaction has replaced, and those of one that was killed before its end; nothing
 * while a needed file is missing.
 */
export async function removeCompacted(storage: CorpusStorage, landings: readonly Landing[]): Promise<void> {
  const uses = usesOf(landings, Number.POSITIVE_INFINITY, await readCompacted(storage));
  const needed = new Set(filesOfUses(uses).map(({ path }) => path));
  const known = new Set(landings.flatMap(({ files }) => files.map(({ path }) => path)));
  const paths = new Set(await storage.list("raw"));
  // If raw/compacted.json is lost, the files that it named look superfluous.
  if ([...needed].some((path) => !paths.has(path))) return;
  for (const path of paths)
    if ((known.has(path) || isCompactedPath(path)) && !needed.has(path)) await storage.remove(path);
}
