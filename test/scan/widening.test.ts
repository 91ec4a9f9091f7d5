import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArchiveError, type FetchedResult, pl, ValidationError } from "../../src/index.js";
import { SCAN_ROWS } from "../../src/scan/runScan.js";
import { mention } from "../client/clientTo.js";
import { errorOf } from "../service/helpers.js";
import { allOf, idsInto, idsOf, pagedArchive, upTo } from "./pagedServer.js";

const sizes = { ...SCAN_ROWS };
beforeEach(() => Object.assign(SCAN_ROWS, { group: 100 }));
afterEach(() => Object.assign(SCAN_ROWS, sizes));

/** 500 rows; a score becomes a fraction in row 450, a code text in row 460. */
const row = (id: number) =>
  mention(id, { personid: id, programid: 501 - id, score: id === 450 ? 2.5 : 5, code: id === 460 ? "x" : 5 });
const isFive = pl.col("score").cast(pl.Utf8).eq(pl.lit("5.0"));
const isCode = pl.col("code").eq(pl.lit("5"));

describe("a column that widens late", () => {
  it("an early end keeps the types of the rows that were read", async () => {
    const { archive } = await pagedArchive({ rows: 500, row });
    const scan = archive.scan.mentions("x").filter(isFive).head(3);
    // The first page alone has only integers, whose text has no point; the first of all 500 rows have.
    expect(idsOf(await scan.collect())).toEqual([1, 2, 3]);
    // The first page decides whether a verb fits.
    const compared = archive.scan.mentions("x").filter(isCode).head(3).collect();
    expect((await errorOf(compared, ValidationError)).message).toContain("cannot compare string with numeric type");
  });

  it("ends batches with an explicit error", async () => {
    const { archive } = await pagedArchive({ rows: 500, row });
    const scan = archive.scan.mentions("x");
    const handed: number[] = [];
    const loop = idsInto(handed, scan.filter(pl.col("score").gt(1)).batches({ batchSize: 70 }));
    const error = await errorOf(loop, ArchiveError);
    expect(error.code).toBe("COLUMN_WIDENED");
    expect(error.message).toContain('column "score" changed from Int64 to Float64');
    const { frame } = error.partial as FetchedResult<"polars">;
    expect([...handed, ...idsOf(frame)]).toEqual(upTo(500));
  });

  it("does not affect batches if no verb reads it", async () => {
    const { archive } = await pagedArchive({ rows: 500, row });
    const scan = archive.scan.mentions("x");
    for (const plan of [
      scan.select("id", "score").rename({ score: "points" }),
      scan.filter(pl.col("length").gt(1)).drop("text"),
    ])
      expect((await allOf(plan.batches())).flatMap(idsOf)).toEqual(upTo(500));
  });
});
