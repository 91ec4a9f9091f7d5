import { ArchiveError } from "../errors/index.js";
import type { RowSpool } from "../files/rowSpool.js";
import type { Chunk } from "../frames/chunk.js";
import type { FrameBuilder } from "../frames/frameBuilder.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import type { DeclaredColumns } from "../service/operations/operations.js";
import { quoted } from "../util/quoted.js";
import { runPolars } from "./columnCheck.js";
import { Pipeline } from "./pipeline.js";
import type { ScanPlan } from "./scanPlan.js";

/** What the verbs made of one group of rows. */
interface Output {
  /** The verbs as they were before it. */
  readonly before: Pipeline;
  readonly frame: PolarsFrame;
}

/**
 * Runs the streamed verbs of a scan over the groups of a spool while more of them come.
 *
 * The type of a column follows from all its values, so a later page can change it. Verbs that have run then run again, on the
 * rows in the spool; where rows have been handed over that a verb chose by such a column, that is an error.
 */
export class VerbRunner {
  #pipeline: Pipeline;
  /** One for each group in the spool. */
  #outputs: Output[] = [];
  #rows = 0;
  #types = new Map<string, string>();
  #failure: Error | undefined;
  #handedOver = 0;
  /** Rows of the first output that were handed over, and the rows that it was made of, as the verbs saw them. */
  #skipped = 0;
  #boundary: PolarsFrame | undefined;

  constructor(
    readonly plan: ScanPlan,
    readonly declared: DeclaredColumns,
    readonly builder: FrameBuilder,
    readonly spool: RowSpool,
  ) {
    this.#pipeline = new Pipeline(plan.streamed);
  }

  /** Rows that came through the verbs and were not handed over. */
  get rows(): number {
    return this.#rows;
  }

  /** A slice has let through all it does: no row to come can change the result. */
  get isFull(): boolean {
    return this.#failure === undefined && this.#pipeline.full;
  }

  /**
   * Runs the verbs on the newest group of the spool.
   *
   * @throws ArchiveError `COLUMN_WIDENED` where rows were handed over that would be others now
   * @throws ValidationError where polars refuses a verb, and no later page can change that
   */
  add(chunks: readonly Chunk[]): void {
    const frame = this.builder.frameOf(chunks);
    const types = typesOf(frame);
    const changed = [...types].filter(([name, type]) => this.#types.get(name) !== type).map(([name]) => name);
    const isFirst = this.#types.size === 0;
    const read = changed.find((name) => this.#isRead(name));
    if (this.#handedOver > 0 && read !== undefined) throw widened(read, this.#types.get(read), types.get(read));
    this.#types = types;
    if (changed.length > 0 && !isFirst) this.#again();
    else if (this.#failure === undefined) this.#try(() => this.#apply(frame));
  }

  /** @throws ValidationError that was held back because a later page might have made the verbs right */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The next rows. They are handed over: no type that a verb reads may change afterwards. */
  take(rows: number): PolarsFrame {
    const parts: PolarsFrame[] = [];
    let left = rows;
    for (let [first] = this.#outputs; first !== undefined; [first] = this.#outputs) {
      const count = Math.min(left, first.frame.height - this.#skipped);
      parts.push(first.frame.slice(this.#skipped, count));
      left -= count;
      this.#skipped += count;
      if (this.#skipped < first.frame.height) break;
      this.#outputs.shift();
      this.spool.drop(1);
      this.#skipped = 0;
    }
    this.#rows -= rows;
    this.#handedOver += rows;
    const [first] = this.#skipped > 0 ? this.spool.groups() : [];
    this.#boundary = first && this.builder.frameOf(first);
    return together(parts);
  }

  /** All rows that were not handed over. */
  all(): PolarsFrame {
    this.finish();
    return together(this.#outputs.map(({ frame }) => frame));
  }

  /**
   * What the verbs make of all groups, on the types that follow from all of them.
   *
   * @throws ValidationError where polars refuses a verb
   */
  *onFinalTypes(): Generator<PolarsFrame, void, undefined> {
    const pipeline = new Pipeline(this.plan.streamed);
    for (const chunks of this.spool.groups()) {
      yield runPolars(() => pipeline.apply(this.builder.frameOf(chunks)));
      if (pipeline.full) return;
    }
  }

  /** How many rows of the first group in the spool were handed over, counted before the verbs. */
  get consumed(): number {
    const { before } = this.#outputs[0] ?? {};
    if (before === undefined || this.#boundary === undefined || this.#skipped === 0) return 0;
    return before.rowsFor(this.#boundary, this.#skipped);
  }

  #isRead(name: string): boolean {
    const { reads } = this.plan;
    return reads === "all" || reads.has(name);
  }

  /** Runs the verbs once more on all that is in the spool. */
  #again(): void {
    this.#pipeline = this.#outputs[0]?.before.fork() ?? this.#pipeline;
    this.#outputs = [];
    this.#rows = -this.#skipped;
    this.#failure = undefined;
    this.#try(() => {
      for (const chunks of this.spool.groups()) this.#apply(this.builder.frameOf(chunks));
    });
  }

  #apply(frame: PolarsFrame): void {
    const before = this.#pipeline.fork();
    const output = runPolars(() => this.#pipeline.apply(frame));
    this.#outputs.push({ before, frame: output });
    this.#rows += output.height;
  }

  /** Runs verbs; a failure is held back as long as a type may change that it can be due to. */
  #try(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { reads } = this.plan;
      const mayChange = reads === "all" || [...reads].some((name) => !Object.hasOwn(this.declared, name));
      if (this.#handedOver > 0 || !mayChange) throw error;
      this.#failure = error as Error;
      this.#pipeline = new Pipeline(this.plan.streamed);
      this.#outputs = [];
      this.#rows = 0;
    }
  }
}

/** Frames of one schema as one. */
export function together(frames: readonly PolarsFrame[]): PolarsFrame {
  return frames.length === 1 ? (frames[0] as PolarsFrame) : pl.concat([...frames], { how: "diagonal" });
}

function typesOf(frame: PolarsFrame): Map<string, string> {
  const { dtypes } = frame;
  return new Map(frame.columns.map((name, at) => [name, String(dtypes[at])]));
}

function widened(name: string, from: string | undefined, to: string | undefined): ArchiveError {
  const type = (text = "") => text.slice(text.indexOf("(") + 1, text.endsWith(")") ? -1 : undefined);
  const change = from === undefined ? `appeared as ${type(to)}` : `changed from ${type(from)} to ${type(to)}`;
  return new ArchiveError(
    `column ${quoted(name)} ${change} on a later page, and a verb had used it for rows that were handed over already.`,
    {
      code: "COLUMN_WIDENED",
      hint: "Use collect() or sink(), which apply verbs to the final types.",
    },
  );
}
