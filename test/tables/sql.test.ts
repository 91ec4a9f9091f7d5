import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openCorpus } from "../../src/corpus/index.js";
import { openArchive, pl, provenanceOf, saveFrame, sql, toRecords, ValidationError } from "../../src/index.js";
import { temporaryFolder } from "../files/temporary.js";

const root = temporaryFolder();
const archive = await openArchive({ announce: false });
afterAll(() => archive.close());
const mentions = await archive.mentions("climate", { maxItems: 300 });

describe("sql", () => {
  const run = (query: string, tables = { mentions } as Parameters<typeof sql>[1]) => sql(query, tables);

  it("has the types, values and sources of the tables", async () => {
    const all = await run("select * from mentions");
    expect(all.frameEqual(mentions, true)).toBe(true);
    expect(all.dtypes.map(String)).toEqual(mentions.dtypes.map(String));
    expect(provenanceOf(all)).toMatchObject({ operation: "mentions", parameters: { query: "climate" }, rows: 300 });
    expect(provenanceOf(all)?.steps).toEqual([{ verb: "sql", text: "queried with select * from mentions" }]);
  });

  it("joins frames and lazy frames, whose sources it combines", async () => {
    const people = (await archive.people({ last: "Pelosi" })).lazy();
    const energy = await archive.mentions("energy", { maxItems: 50 });
    const query =
      "select p.name, count(*) as n from mentions m join people p on m.personid = p.id group by p.name order by n";
    const counted = await run(query, { mentions, people, energy });
    const pelosi = mentions.filter(pl.col("personid").isIn((await people.collect()).getColumn("id").toArray()));
    expect(toRecords(counted).reduce((sum, { n }) => sum + Number(n), 0)).toBe(pelosi.height);
    expect(
      provenanceOf(counted)
        ?.sources?.map(({ operation }) => operation)
        .sort(),
    ).toEqual(["mentions", "people"]);
  });

  it("refuses files, other statements and unknown tables", async () => {
    await saveFrame(mentions, join(root, "secret.parquet"));
    writeFileSync(join(root, "secret.csv"), "a\n1\n");
    const file = (name: string) => `'${join(root, name)}'`;
    for (const query of [
      `select * from read_csv(${file("secret.csv")})`,
      `select * from read_parquet(${file("secret.parquet")})`,
      `select * from ${file("secret.parquet")}`,
      `select * from "${join(root, "secret.csv")}"`,
      `with x as (select * from read_csv(${file("secret.csv")})) select * from x`,
      `select (select count(*) from read_csv(${file("secret.csv")})) from mentions`,
      `copy mentions to ${file("out.csv")}`,
      "create table x as select 1",
      "drop table mentions",
      "select 1; select 2",
      "set enable_external_access = true",
      "attach 'x.db'",
      "select * from nothing",
      "from nothing",
      "select * from read_text('/etc/hostname')",
      "select * from glob('/tmp/*')",
      "select * from query('select * from read_text(''/etc/hostname'')')",
      "selec 1",
    ]) {
      const error = await run(query).then(
        (frame) => frame.toString(),
        (reason: unknown) => reason,
      );
      expect(error, query).toBeInstanceOf(ValidationError);
      expect(String(error)).toMatch(/invalid query/);
    }
    expect((await run("select count(*) as n from mentions")).toRecords()).toEqual([{ n: 300 }]);
  });

  it.each([
    ["select persn from mentions", /Referenced column "persn" not found.*Candidate bindings: "person"/],
    ["select leng(text) from mentions", /leng does not exist.*Did you mean "\w+"\?$/],
    ["select person, count(*) from mentions", /must appear in the GROUP BY clause.*Either add it to the GROUP BY list/],
  ])("says what DuckDB would write instead of %s", async (query, message) => {
    await expect(run(query)).rejects.toThrow(message);
  });

  it.each(["date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz"])(
    "returns infinite values of type %s as text",
    async (type) => {
      const found = await run(`select unnest(['infinity', '-infinity', null])::${type} as v`);
      expect(found.toRecords()).toEqual([{ v: "infinity" }, { v: "-infinity" }, { v: null }]);
      expect((await run("select '24:00'::time as v")).toRecords()).toEqual([{ v: "24:00:00" }]);
    },
  );

  it("checks its arguments", async () => {
    await expect(run(" ")).rejects.toThrow(/^invalid query/);
    await expect(run("select 1", { "a b": mentions })).rejects.toThrow(/^invalid tables: "a b"/);
  });
});

it("has its dates in UTC", async () => {
  const months = await sql(
    "select strftime(date_trunc('month', begintime), '%Y-%m') as month from mentions group by all order by month -- as text",
    { mentions },
  );
  const expected = new Set(
    mentions
      .getColumn("begintime")
      .toArray()
      .map((time) => new Date(Number(time)).toISOString().slice(0, 7)),
  );
  expect(months.getColumn("month").toArray()).toEqual([...expected].sort());
});

it("queries the tables of a corpus, with its searches as sources", async () => {
  const searches = [{ query: "climate", mindate: "2024-01-01", maxdate: "2024-01-31" }];
  const corpus = await openCorpus(join(root, "study"), { archive, searches, lookups: ["people"] });
  await corpus.build();
  const query =
    "select people.name, count(*) as n from mentions join people on personid = people.id group by people.name";
  const counts = await corpus.sql(query);
  const { height } = await corpus.mentions().collect();
  expect(toRecords(counts).reduce((sum, { n }) => sum + Number(n), 0)).toBe(height);
  expect(provenanceOf(counts)?.sources).toMatchObject([{ parameters: searches[0] }]);
  await expect(corpus.sql("select * from 'study/tables/people/part.parquet'")).rejects.toThrow(/invalid query/);
});

it("takes a PIVOT, and gives sums as integers", async () => {
  const t = pl.DataFrame([pl.Series("party", ["D", "R", "D"]), pl.Series("n", [1, 2, 3], pl.Int64)]);
  expect(toRecords(await sql("pivot (select party from t) on party using count(*)", { t }))).toEqual([{ D: 2, R: 1 }]);
  const sums = await sql("select party, sum(n) as n from t group by party order by party", { t });
  expect([String(sums.rows()), String(sums.dtypes[1])]).toEqual(["D,4,R,2", "DataType(Int64)"]);
});
