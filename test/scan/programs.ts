import fc from "fast-check";
import { type ArchiveScan, type LazyFrame, type PolarsExpr, type PolarsFrame, pl } from "../../src/index.js";

type Scan = ArchiveScan<"mentions">;

/** A verb of a scan and the same verb in polars. */
export interface Verb {
  readonly text: string;
  readonly scan: (scan: Scan) => Scan;
  readonly polars: (lazy: LazyFrame) => LazyFrame;
}

/** A date literal: a scan accepts a JavaScript Date, polars needs an explicit time zone. */
type DateLiteral = (date: Date) => PolarsExpr;
type MakeExpr = (dated: DateLiteral) => PolarsExpr;

const inScan: DateLiteral = (date) => pl.lit(date);
const inPolars: DateLiteral = (date) => pl.lit(date).cast(pl.Datetime("us", "UTC"));

interface Named {
  readonly text: string;
  readonly make: MakeExpr;
}

const DECLARED = ["id", "personid", "programid", "length", "text", "begintime"];
const UNDECLARED = ["score", "code", "big", "late"];
const NAMES = [...DECLARED, ...UNDECLARED, "m"];

/** Usually a column of a suitable type, sometimes any column. */
const usually = (...names: string[]) =>
  fc.oneof({ weight: 14, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.constantFrom(...NAMES) });
const column = usually(...DECLARED, "score", "code");
const number = usually("personid", "programid", "length", "length", "score", "score", "code", "big");
const textual = usually("id", "text");
const value = fc.constantFrom(0, 1, 2, 3, 5, 2.5, 5.5);
const word = fc.constantFrom("5", "5.0", "2.5", "x", "true", "2024-01-02T00:00:00Z");
const date = fc.constantFrom(new Date("2024-01-01"), new Date("2024-01-02T12:00:00.001Z"));
const big = fc.constantFrom(9007199254740993n, 9007199254740992n);

const named = (text: string, make: MakeExpr): Named => ({ text, make });

/** Boolean expressions, one value per row. */
const atom: fc.Arbitrary<Named> = fc.oneof(
  fc
    .tuple(number, fc.constantFrom("eq", "gt", "ltEq", "neq"), value)
    .map(([name, op, limit]) => named(`${name}.${op}(${limit})`, () => pl.col(name)[op as "eq"](limit))),
  fc
    .tuple(column, word)
    .map(([name, text]) => named(`${name}.text=${text}`, () => pl.col(name).cast(pl.Utf8).eq(pl.lit(text)))),
  fc
    .tuple(usually("text", "code", "id"), word)
    .map(([name, text]) => named(`${name}=${text}`, () => pl.col(name).eq(pl.lit(text)))),
  column.map((name) => named(`${name}.isNull`, () => pl.col(name).isNull())),
  column.map((name) => named(`${name}.isDuplicated`, () => pl.col(name).isDuplicated())),
  fc.tuple(number, fc.array(value, { minLength: 1, maxLength: 3 })).map(([name, list]) => {
    return named(`${name}.isIn(${list})`, () => pl.col(name).isIn(list));
  }),
  fc
    .tuple(number, number)
    .map(([a, b]) => named(`${a}.isIn(all ${b})`, () => pl.col(a).isIn(pl.col(b).unique().implode()))),
  fc
    .tuple(usually("personid"), usually("programid"))
    .map(([a, b]) => named(`${a}.isIn(${b})`, () => pl.col(a).isIn(pl.col(b)))),
  fc.tuple(number, number).map(([a, b]) => named(`${a}>${b}`, () => pl.col(a).gt(pl.col(b)))),
  number.map((name) => named(`${name}>mean`, () => pl.col(name).gt(pl.col(name).mean()))),
  fc
    .tuple(number, number, value)
    .map(([a, b, wanted]) => named(`${a}??${b}=${wanted}`, () => pl.col(a).fillNull(pl.col(b)).eq(wanted))),
  fc.tuple(textual, word).map(([name, text]) => named(`${name}~${text}`, () => pl.col(name).str.contains(text))),
  textual.map((name) => named(`lower(${name})`, () => pl.col(name).str.toLowerCase().eq(pl.lit("x")))),
  date.map((at) => named(`begintime>=${at.toISOString()}`, (dated) => pl.col("begintime").gtEq(dated(at)))),
  fc.tuple(date, big).map(([at, wanted]) =>
    named(`big=${wanted} and begintime>${at.toISOString()}`, (dated) =>
      pl
        .col("big")
        .eq(pl.lit(wanted).cast(pl.Int64))
        .and(pl.col("begintime").gt(dated(at))),
    ),
  ),
);

const predicate: fc.Arbitrary<Named> = fc.oneof(
  { weight: 8, arbitrary: atom },
  {
    weight: 2,
    arbitrary: fc.tuple(atom, atom, fc.boolean()).map(([a, b, both]) => {
      const join = (dated: DateLiteral) => (both ? a.make(dated).and(b.make(dated)) : a.make(dated).or(b.make(dated)));
      return named(`(${a.text} ${both ? "and" : "or"} ${b.text})`, join);
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 70, max: 90 }), date, number).map(([terms, at, name]) =>
      named(`${terms} terms of ${name}`, (dated) => {
        let chain = pl.col("begintime").eq(dated(at));
        for (let term = 0; term < terms; term++) chain = chain.or(pl.col(name).eq(term * 2));
        return chain;
      }),
    ),
  },
);

const computed: fc.Arbitrary<Named> = fc.oneof(
  fc
    .tuple(column, value)
    .map(([name, number]) => named(`${name}*${number}`, () => pl.col(name).mul(number).alias("m"))),
  fc.tuple(number, number).map(([a, b]) => named(`${a}+${b}`, () => pl.col(a).add(pl.col(b)).alias("m"))),
  fc.tuple(column, column).map(([a, b]) => named(`${a}??${b}`, () => pl.col(a).fillNull(pl.col(b)).alias("m"))),
  fc.tuple(column, column).map(([a, b]) => named(`${b}=${a}`, () => pl.col(a).alias(b))),
  column.map((name) => named(`text(${name})`, () => pl.col(name).cast(pl.Utf8).alias("m"))),
  number.map((name) => named(`cumSum(${name})`, () => pl.col(name).cumSum().alias("m"))),
  column.map((name) => named(`shift(${name})`, () => pl.col(name).shift(2).alias("m"))),
  // polars cannot serialize these two.
  usually("text", "code", "late").map((name) => named(`lengths(${name})`, () => pl.col(name).str.lengths().alias("m"))),
  usually("text", "code", "late").map((name) =>
    named(`lower(${name})`, () => pl.col(name).str.toLowerCase().alias("m")),
  ),
  column.map((name) => named(`max(${name})`, () => pl.col(name).max().alias("m"))),
  fc
    .tuple(predicate, column)
    .map(([test, name]) =>
      named(`when(${test.text})`, (dated) =>
        pl.when(test.make(dated)).then(pl.col(name)).otherwise(pl.lit(null)).alias("m"),
      ),
    ),
  fc.constant(named("1", () => pl.lit(1).alias("m"))),
);

const aggregate: fc.Arbitrary<Named> = fc.oneof(
  column.map((name) => named(`max(${name})`, () => pl.col(name).max().alias("m"))),
  number.map((name) => named(`sum(${name})`, () => pl.col(name).sum().alias("m"))),
  column.map((name) => named(`count(${name})`, () => pl.col(name).count().alias("m"))),
  usually("text", "code", "late").map((name) =>
    named(`lengths(${name})`, () => pl.col(name).str.lengths().max().alias("m")),
  ),
  usually("text", "code", "late").map((name) =>
    named(`lower(${name})`, () => pl.col(name).str.toLowerCase().first().alias("m")),
  ),
);

const sameVerb = (text: string, run: (frame: Scan) => Scan): Verb => ({
  text,
  scan: run,
  // A polars LazyFrame has verbs with the same names.
  polars: run as unknown as Verb["polars"],
});

const filter = predicate.map(
  ({ text, make }): Verb => ({
    text: `filter(${text})`,
    scan: (scan) => scan.filter(make(inScan)),
    polars: (lazy) => lazy.filter(make(inPolars)),
  }),
);

const withColumns = computed.map(
  ({ text, make }): Verb => ({
    text: `withColumns(${text})`,
    scan: (scan) => scan.withColumns(make(inScan)),
    polars: (lazy) => lazy.withColumns(make(inPolars)),
  }),
);

const select = fc.oneof(
  fc.tuple(fc.uniqueArray(column, { minLength: 1, maxLength: 4 }), fc.option(computed)).map(
    ([names, more]): Verb => ({
      text: `select(${names}${more === null ? "" : `, ${more.text}`})`,
      scan: (scan) => scan.select(...names, ...(more === null ? [] : [more.make(inScan)])),
      polars: (lazy) =>
        lazy.select(...names.map((name) => pl.col(name)), ...(more === null ? [] : [more.make(inPolars)])),
    }),
  ),
  fc.constantFrom(
    sameVerb("select(all)", (frame) => frame.select(pl.all())),
    sameVerb("select(Int64)", (frame) => frame.select(pl.col("id"), pl.col(pl.Int64 as never))),
    sameVerb("select(^[a-l].*$)", (frame) => frame.select(pl.col("^[a-l].*$"))),
    sameVerb("all as text", (frame) => frame.withColumns(pl.all().cast(pl.Utf8).suffix("_text"))),
  ),
);

/** Keys of a sort; some depend on the order of the rows. */
const sortKey: fc.Arbitrary<string | Named> = fc.oneof(
  { weight: 3, arbitrary: column },
  {
    weight: 2,
    arbitrary: fc.oneof(
      column.map((name) => named(`shift(${name})`, () => pl.col(name).shift(1))),
      number.map((name) => named(`diff(${name})`, () => pl.col(name).diff(1, "ignore"))),
      number.map((name) => named(`cumSum(${name})`, () => pl.col(name).cumSum())),
      textual.map((name) => named(`lengths(${name})`, () => pl.col(name).str.lengths())),
      fc.tuple(number, value).map(([name, by]) => named(`${name}%${by}`, () => pl.col(name).modulo(by + 1))),
    ),
  },
);

const sort = fc
  .tuple(fc.array(fc.tuple(sortKey, fc.boolean()), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([keys, nullsLast]): Verb => {
    const by = (dated: DateLiteral) => keys.map(([key]) => (typeof key === "string" ? key : key.make(dated)));
    const descending = keys.map(([, isDescending]) => isDescending);
    return {
      text: `sort(${keys.map(([key, isDescending]) => `${typeof key === "string" ? key : key.text} ${isDescending}`)}, ${nullsLast})`,
      scan: (scan) => scan.sort(by(inScan), { descending, nullsLast }),
      polars: (lazy) => sorted(lazy.collectSync(), by(inPolars), descending, nullsLast).lazy(),
    };
  });

/** Sorts by comparing the keys of two rows in JavaScript. Rows with equal keys go by id, and keep their order without one. */
function sorted(
  frame: PolarsFrame,
  by: ReadonlyArray<PolarsExpr | string>,
  descending: readonly boolean[],
  nullsLast: boolean,
): PolarsFrame {
  const values = by.map((key) => {
    const column = frame.select((typeof key === "string" ? pl.col(key) : key).alias("key")).getColumn("key");
    // Timestamps and long integers compare exactly.
    const whole = /Datetime|Int/.test(column.dtype.variant) ? column.cast(pl.Int64).cast(pl.Utf8) : undefined;
    const cells = [...(whole ?? column).toArray()] as unknown[];
    return whole === undefined ? cells : cells.map((cell) => (cell === null ? null : BigInt(cell as string)));
  });
  const ids = frame.columns.includes("id") ? [...frame.getColumn("id").toArray()] : undefined;
  const keys = ids === undefined ? values : [...values, ids];
  const compare = (a: number, b: number) => {
    for (const [at, cells] of keys.entries()) {
      const order = compared(cells[a], cells[b], descending[at] ?? false, nullsLast);
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

/** Any verb, possibly with missing columns or wrong types. */
export const verb: fc.Arbitrary<Verb> = fc.oneof(
  { weight: 7, arbitrary: filter },
  { weight: 3, arbitrary: withColumns },
  { weight: 2, arbitrary: select },
  { weight: 2, arbitrary: sort },
  { weight: 3, arbitrary: fc.nat(30).map((rows) => sameVerb(`head(${rows})`, (frame) => frame.head(rows))) },
  { weight: 1, arbitrary: fc.nat(12).map((rows) => sameVerb(`tail(${rows})`, (frame) => frame.tail(rows))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: -9, max: 9 }), fc.nat(12))
      .map(([offset, length]) => sameVerb(`slice(${offset}, ${length})`, (frame) => frame.slice(offset, length))),
  },
  {
    weight: 1,
    arbitrary: usually("link", "person", "late").map((name) => sameVerb(`drop(${name})`, (frame) => frame.drop(name))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(column, column)
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => sameVerb(`rename(${from} to ${to})`, (frame) => frame.rename({ [from]: to }))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.uniqueArray(column, { minLength: 1, maxLength: 2 }), fc.constantFrom("first", "last", "none"))
      .map(
        ([names, keep]): Verb => ({
          text: `unique(${names}, ${keep})`,
          scan: (scan) => scan.unique(names, { keep }),
          polars: (lazy) => lazy.unique(names, keep as "first", true),
        }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Verb>({
      text: "unique()",
      scan: (scan) => scan.unique(),
      polars: (lazy) => lazy.unique({ keep: "first", maintainOrder: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.uniqueArray(column, { minLength: 1, maxLength: 2 }), aggregate).map(
      ([keys, { text, make }]): Verb => ({
        text: `groupBy(${keys}).${text}`,
        scan: (scan) => scan.groupBy(keys).agg(make(inScan)),
        polars: (lazy) => lazy.groupBy(keys, true).agg(make(inPolars)),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: usually("person", "late").map(
      (name): Verb => ({
        text: `pipe(${name})`,
        scan: (scan) => scan.pipe((lazy) => lazy.withColumns(pl.col(name).isNull().alias("m")).reverse()),
        polars: (lazy) => lazy.withColumns(pl.col(name).isNull().alias("m")).reverse(),
      }),
    ),
  },
);

/** The values of a member as JSON, by row number; `undefined` if the member is absent. */
type Fill = (at: number) => string | undefined;

const INTS: Fill = (at) => String(at % 6);
const FILLS: Readonly<Record<string, Fill>> = {
  absent: () => undefined,
  null: () => "null",
  ints: INTS,
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
const declared = (kind: string) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(kind) }, { weight: 1, arbitrary: anything });

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
