import fc from "fast-check";
import { type ArchiveScan, type LazyFrame, type PolarsExpr, type PolarsFrame, pl } from "../../src/index.js";

type Scan = ArchiveScan<"mentions">;

/** A verb of a scan and the same verb in polars. */
export interface Verb {
  readonly text: string;
  readonly scan: (scan: Scan) => Scan;
  readonly polars: (lazy: LazyFrame) => LazyFrame;
}

type MakeExpr = () => PolarsExpr;

/** polars needs an explicit time zone. */
const dated = (date: Date): PolarsExpr => pl.lit(date).cast(pl.Datetime("us", "UTC"));

const DECLARED = ["id", "personid", "programid", "length", "text", "begintime"];
const NAMES = [...DECLARED, "score", "code", "big", "late", "m"];

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** Usually a column of a suitable type, sometimes any column. */
const usually = (...names: string[]) =>
  fc.oneof(weighted(14, fc.constantFrom(...names)), weighted(1, fc.constantFrom(...NAMES)));
const column = usually(...DECLARED);
const number = usually("personid", "programid", "length");
const textual = usually("id", "text");
const value = fc.constantFrom(0, 1, 2, 3, 5, 2.5, 5.5);
const word = fc.constantFrom("5", "5.0", "2.5", "x", "true", "2024-01-02T00:00:00Z");
const date = fc.constantFrom(new Date("2024-01-01"), new Date("2024-01-02T12:00:00.001Z"));
const big = fc.constantFrom(9007199254740993n, 9007199254740992n);

/** Expressions of a column and of more values, which may be names of columns. */
function of<T extends unknown[]>(
  names: fc.Arbitrary<string>,
  make: (a: PolarsExpr, ...more: T) => PolarsExpr,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<MakeExpr> {
  const made =
    ([name, more]: [string, T]) =>
    () =>
      make(pl.col(name), ...more);
  return fc.tuple(names, fc.tuple(...values) as fc.Arbitrary<T>).map(made);
}

/** Boolean expressions, one value per row. */
const atom: fc.Arbitrary<MakeExpr> = fc.oneof(
  of(number, (a, op, limit: number) => a[op as "eq"](limit), fc.constantFrom("eq", "gt", "ltEq", "neq"), value),
  of(column, (a, text: string) => a.cast(pl.Utf8).eq(pl.lit(text)), word),
  of(textual, (a, text: string) => a.eq(pl.lit(text)), word),
  of(column, (a) => a.isNull()),
  of(column, (a) => a.isDuplicated()),
  of(number, (a, list: number[]) => a.isIn(list), fc.array(value, { minLength: 1, maxLength: 3 })),
  of(number, (a, b: string) => a.isIn(pl.col(b).unique().implode()), number),
  of(usually("personid"), (a, b: string) => a.isIn(pl.col(b)), usually("programid")),
  of(number, (a, b: string) => a.gt(pl.col(b)), number),
  of(number, (a) => a.gt(a.mean())),
  of(number, (a, b: string, wanted: number) => a.fillNull(pl.col(b)).eq(wanted), number, value),
  of(textual, (a, text: string) => a.str.contains(text), word),
  of(textual, (a) => a.str.toLowerCase().eq(pl.lit("x"))),
  date.map((at) => () => pl.col("begintime").gtEq(dated(at))),
  fc.tuple(date, big).map(([at, wanted]) => () => {
    const isLater = pl.col("begintime").gt(dated(at));
    return pl.col("personid").neq(pl.lit(wanted).cast(pl.Int64)).and(isLater);
  }),
);

const joined = fc.tuple(atom, atom, fc.constantFrom("and", "or")).map(([a, b, both]): MakeExpr => {
  return () => a()[both](b());
});
const predicate = fc.oneof(weighted(8, atom), weighted(2, joined));

const computed: fc.Arbitrary<MakeExpr> = fc.oneof(
  of(column, (a, factor: number) => a.mul(factor).alias("m"), value),
  of(number, (a, b: string) => a.add(pl.col(b)).alias("m"), number),
  of(column, (a, b: string) => a.fillNull(pl.col(b)).alias("m"), column),
  of(column, (a, name: string) => a.alias(name), column),
  of(column, (a) => a.cast(pl.Utf8).alias("m")),
  of(number, (a) => a.cumSum().alias("m")),
  of(column, (a) => a.shift(2).alias("m")),
  // polars cannot serialize these two; their text has `.map()`.
  of(textual, (a) => a.str.lengths().alias("m")),
  of(textual, (a) => a.str.toLowerCase().alias("m")),
  of(column, (a) => a.max().alias("m")),
  fc.tuple(predicate, column).map(([test, name]) => () => {
    return pl.when(test()).then(pl.col(name)).otherwise(pl.lit(null)).alias("m");
  }),
  fc.constant<MakeExpr>(() => pl.lit(1).alias("m")),
);

const aggregate: fc.Arbitrary<MakeExpr> = fc.oneof(
  of(column, (a) => a.max().alias("m")),
  of(number, (a) => a.sum().alias("m")),
  of(column, (a) => a.count().alias("m")),
  of(textual, (a) => a.str.lengths().max().alias("m")),
  of(textual, (a) => a.str.toLowerCase().first().alias("m")),
);

/** A verb that scans and lazy frames have under one name. */
function sameVerb(name: string, ...parameters: readonly unknown[]): Verb {
  const run = (frame: unknown) =>
    (frame as Record<string, (...parameters: readonly unknown[]) => never>)[name]?.(...parameters) as never;
  return { text: `${name}(${parameters.map(String)})`, scan: run, polars: run };
}

const select = fc.oneof(
  fc
    .tuple(fc.uniqueArray(column, { minLength: 1, maxLength: 4 }), fc.option(computed))
    .map(([names, more]) => sameVerb("select", ...names, ...(more === null ? [] : [more()]))),
  fc.constantFrom(
    sameVerb("select", pl.all()),
    sameVerb("select", pl.col("id"), pl.col(pl.Int64 as never)),
    sameVerb("select", pl.col("^[a-l].*$")),
    sameVerb("withColumns", pl.all().cast(pl.Utf8).suffix("_text")),
  ),
);

/** Keys of a sort; some depend on the order of the rows. */
const sortKey: fc.Arbitrary<MakeExpr | string> = fc.oneof(
  weighted(3, column),
  weighted(
    2,
    fc.oneof(
      of(column, (a) => a.shift(1)),
      of(number, (a) => a.diff(1, "ignore")),
      of(number, (a) => a.cumSum()),
      of(textual, (a) => a.str.lengths()),
      of(number, (a, by: number) => a.modulo(by + 1), value),
    ),
  ),
);

const sort = fc
  .tuple(fc.array(sortKey, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.boolean())
  .map(([keys, descending, nullsLast]): Verb => {
    const by = () => keys.map((key) => (typeof key === "string" ? key : key()));
    return {
      text: `sort(${by().map(String)}, ${descending}, ${nullsLast})`,
      scan: (scan) => scan.sort(by(), { descending, nullsLast }),
      polars: (lazy) => sorted(lazy.collectSync(), by(), descending, nullsLast).lazy(),
    };
  });

/** Sorts by comparing the keys of two rows in JavaScript. Rows with equal keys keep their order. */
function sorted(
  frame: PolarsFrame,
  by: ReadonlyArray<PolarsExpr | string>,
  descending: boolean,
  nullsLast: boolean,
): PolarsFrame {
  const values = by.map((key) => {
    const column = frame.select((typeof key === "string" ? pl.col(key) : key).alias("key")).getColumn("key");
    // Timestamps and long integers compare exactly.
    const whole = /Datetime|Int/.test(column.dtype.variant) ? column.cast(pl.Int64).cast(pl.Utf8) : undefined;
    const cells = [...(whole ?? column).toArray()] as unknown[];
    return whole === undefined ? cells : cells.map((cell) => (cell === null ? null : BigInt(cell as string)));
  });
  const compare = (a: number, b: number) => {
    for (const cells of values) {
      const order = compared(cells[a], cells[b], descending, nullsLast);
      if (order !== 0) return order;
    }
    return a - b;
  };
  const order = [...Array(frame.height).keys()].sort(compare);
  const rank = new Array<number>(frame.height);
  order.forEach((row, at) => {
    rank[row] = at;
  });
  return frame
    .withColumns(pl.Series("its rank", rank, pl.Float64))
    .sort("its rank")
    .drop("its rank");
}

function compared(a: unknown, b: unknown, descending: boolean, nullsLast: boolean): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === nullsLast ? 1 : -1;
  // Lists go item by item; NaN is larger than any number.
  if (typeof a === "object") return 0;
  const nan = [a, b].map((one) => Number.isNaN(one));
  const order =
    nan[0] || nan[1]
      ? Number(nan[0]) - Number(nan[1])
      : Number((a as number) > (b as number)) - Number((a as number) < (b as number));
  return descending ? -order : order;
}

const filter = predicate.map((make) => sameVerb("filter", make()));
const withColumns = computed.map((make) => sameVerb("withColumns", make()));
const head = fc.nat(30).map((rows) => sameVerb("head", rows));
const oneOrTwo = fc.uniqueArray(column, { minLength: 1, maxLength: 2 });

/** Any verb, possibly with missing columns or wrong types. */
export const verb: fc.Arbitrary<Verb> = fc.oneof(
  weighted(7, filter),
  weighted(3, withColumns),
  weighted(2, select),
  weighted(2, sort),
  weighted(3, head),
  weighted(
    2,
    fc.tuple(oneOrTwo, aggregate).map(
      ([keys, make]): Verb => ({
        text: `groupBy(${keys}).agg(${make()})`,
        scan: (scan) => scan.groupBy(keys).agg(make()),
        polars: (lazy) => lazy.groupBy(keys, true).agg(make()),
      }),
    ),
  ),
  fc.constantFrom("person", "late", "score", "code", "big").map((name) => {
    const reversed = (lazy: LazyFrame) => lazy.withColumns(pl.col(name).isNull().alias("m")).reverse();
    return { text: `pipe(${name})`, scan: (scan: Scan) => scan.pipe(reversed), polars: reversed };
  }),
);

/** The values of a member as JSON, by row number; `undefined` if the member is absent. */
type Fill = (at: number) => string | undefined;

const FILLS: Readonly<Record<string, Fill>> = {
  absent: () => undefined,
  null: () => "null",
  ints: (at) => String(at % 6),
  // Far apart, so that a verb that sees only part of the rows gives another result.
  up: (at) => String(at),
  down: (at) => String(60 - at),
  floats: (at) => (at % 3 === 0 ? "2.5" : "5.0"),
  texts: (at) => (at % 2 === 0 ? '"x"' : '"5"'),
  bools: (at) => String(at % 2 === 0),
  bigs: (at) => String(9007199254740991n + BigInt(at % 4)),
  dates: (at) => `"2024-01-0${1 + (at % 3)}T00:00:00Z"`,
  lists: (at) => `[${at % 3}]`,
};

interface Phase {
  readonly name: string;
  /** Its values, each with the row at which they start. */
  readonly from: ReadonlyArray<readonly [number, string]>;
}

const phases = (name: string, kinds: fc.Arbitrary<string>): fc.Arbitrary<Phase> =>
  fc
    .tuple(fc.option(kinds, { freq: 6 }), fc.array(fc.tuple(fc.nat(45), kinds), { maxLength: 2 }))
    .map(([first, later]) => {
      const from = later.sort(([a], [b]) => a - b);
      return { name, from: first === null ? from : [[0, first], ...from] };
    });

const anything = fc.constantFrom(...Object.keys(FILLS));
/** Declared members almost always have the declared type. */
const declared = (kind: string) => fc.oneof(weighted(20, fc.constant(kind)), anything);

/** Rows as JSON whose members appear late and change types. */
export const rows: fc.Arbitrary<string[]> = fc
  .record({
    count: fc.nat(60),
    members: fc.tuple(
      phases("personid", declared("up")),
      phases("programid", declared("down")),
      phases("length", declared("ints")),
      phases("text", declared("texts")),
      phases("begintime", declared("dates")),
      phases("score", fc.oneof(fc.constantFrom("ints", "floats", "null"), anything)),
      phases("code", fc.constantFrom("ints", "texts", "floats", "null")),
      phases("big", fc.constantFrom("bigs", "ints", "absent")),
      phases("late", anything),
    ),
  })
  .map(({ count, members }) =>
    [...Array(count).keys()].map((at) => {
      const parts = members.flatMap(({ name, from }, seed) => {
        const kind = from.findLast(([first]) => at >= first)?.[1] ?? "absent";
        const text = FILLS[kind]?.(at + seed);
        return text === undefined ? [] : [`"${name}":${text}`];
      });
      return `{"id":"${String(at).padStart(3, "0")}"${parts.map((part) => `,${part}`).join("")}}`;
    }),
  );
