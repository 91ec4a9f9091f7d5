import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { FrameBuilder } from "../../frames/frameBuilder.js";
import { numberedColumns } from "../../frames/frameColumns.js";
import { pl } from "../../frames/polars.js";
import { declaredShape, type RowShape, type ScannedRows } from "../../pages/rows.js";
import { operations } from "../../service/operations/operations.js";
import { sum } from "../../util/sum.js";
import { type FileColumn, storable } from "../state/columns.js";

/** Rows of pages as a Parquet file, for the database. */
export interface WrittenRows {
  readonly path: string;
  readonly columns: readonly FileColumn[];
}

/** The members that the rows of a run have had: pages that have them as well need no parser. */
export class SharedShape {
  current: RowShape;

  constructor(readonly operation: "mentions" | "person" | "program" = "mentions") {
    this.current = declaredShape(operations[operation].columns);
  }
}

/**
 * Writes rows to a file. Its columns are numbered: names come from the service.
 *
 * @param pages those of each reading. If there are several, a column `place` has its number.
 */
export function writeRows(
  directory: string,
  pages: ReadonlyArray<readonly ScannedRows[]>,
  shape: SharedShape,
): WrittenRows {
  const builder = new FrameBuilder(operations[shape.operation].columns);
  builder.shape = shape.current;
  for (const page of pages.flat()) builder.add(page);
  shape.current = builder.shape;
  const taken = builder.take();
  // A column without values so far has no type, and must not widen that of others.
  const empty = [...builder.flags].filter(([, flags]) => flags === 0).map(([name]) => name);
  const { frame, columns } = storable(empty.length === 0 ? taken : taken.drop(empty as unknown as string));
  const numbered = numberedColumns(frame);
  const path = join(directory, `${randomUUID()}.parquet`);
  const rows = pages.length > 1 ? numbered.withColumns(places(pages)) : numbered;
  rows.writeParquet(path, { compression: "uncompressed" });
  return { path, columns };
}

/** One series for all readings: it takes polars a millisecond, whatever its rows. */
function places(pages: ReadonlyArray<readonly ScannedRows[]>): pl.Series {
  const counts = pages.map((own) => sum(own.map(({ tape }) => tape.rows)));
  const values = new Int32Array(sum(counts));
  let at = 0;
  for (const [place, count] of counts.entries()) {
    values.fill(place, at, at + count);
    at += count;
  }
  return pl.Series("place", values as unknown as number[], pl.Int32);
}
