// Reads the tables of a corpus with polars and with DuckDB in a loop, until a line arrives on stdin. Prints what it found.
// Both open a file twice, for its metadata and for its rows. If it is replaced in between, they throw, and the read is repeated.
import { createRequire } from "node:module";
import { DuckDBInstance } from "@duckdb/node-api";

const pl = createRequire(import.meta.url)("nodejs-polars").default;
const [dir] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create()).connect();
const QUERY = `select year, month, count(*) as rows, count(distinct id) as ids, count(distinct text) as texts
  from read_parquet('${dir}/tables/mentions/**/*.parquet', hive_partitioning = true) group by year, month`;

/** One row per partition: rows, ids, texts. */
const readers = {
  async polars() {
    const frame = pl
      .scanParquet(`${dir}/tables/mentions`, { hivePartitioning: true })
      .groupBy(["year", "month"])
      .agg(pl.len().alias("rows"), pl.col("id").nUnique().alias("ids"), pl.col("text").nUnique().alias("texts"));
    return (await frame.collect()).toRecords();
  },
  async duckdb() {
    return (await connection.runAndReadAll(QUERY)).getRowObjects();
  },
};

let isRunning = true;
process.stdin.once("data", () => {
  isRunning = false;
});
// A test that fails does not say stop.
process.stdin.once("end", () => process.exit(1));
const found = { reads: 0, repeated: 0, errors: [], torn: [], shrunk: [] };
let least = 0;
process.stdout.write("ready\n");
while (isRunning) {
  for (const [name, read] of Object.entries(readers)) {
    try {
      const partitions = await read().catch(() => {
        found.repeated++;
        return read();
      });
      found.reads++;
      const rows = partitions.reduce((sum, one) => sum + Number(one.rows), 0);
      if (rows < least) found.shrunk.push(`${name}: ${rows} after ${least}`);
      least = Math.max(least, rows);
      for (const { rows: all, ids, texts } of partitions)
        if (Number(all) !== Number(ids) || Number(texts) !== 1) found.torn.push(`${name}: ${all} ${ids} ${texts}`);
    } catch (error) {
      found.errors.push(`${name}: ${error.message}`.slice(0, 300));
    }
  }
  await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write(`${JSON.stringify(found)}\n`);
process.exit(0);
