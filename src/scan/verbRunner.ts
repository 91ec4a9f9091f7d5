import { ArchiveError } from "../errors/index.js";
import type { SpillBuffer } from "../files/spillBuffer.js";
import type { Chunk } from "../frames/chunk.js";
import { concatRows } from "../frames/frameBatches.js";
import type { FrameBuilder } from "../frames/frameBuilder.js";
import type { PolarsFrame } from "../frames/polars.js";
import { quoted } from "../util/quoted.js";
import { runPolars, type ScanPlan } from "./scanPlan.js";
import type { Verb } from "./verbs.js";

interface Output {
  /** The state of the verbs before the group. */
  readonly before: Pipeline;
  readonly frame: PolarsFrame;
}

/**
 * Runs the streamed verbs of a scan on groups of rows as they arrive. If a later page changes the type of a column, the verbs run
 * again on the rows in the spool; if rows that depend on the column were already yielded, it throws.
 */
export class VerbRunner {
  #pipeline: Pipeline;
  #outputs: Output[] = [];
  #rows = 0;
  #types = new Map<string, string>();
  #yielded = 0;
  /** Rows of the first output already yielded. */
  #yieldedOfFirst = 0;

  constructor(
    readonly plan: ScanPlan,
    readonly builder: FrameBuilder,
    readonly spool: SpillBuffer,
  ) {
    this.#pipeline = new Pipeline(plan.streamed);
  }

  /** Rows that passed the verbs and are not yielded yet. */
  get rows(): number {
    return this.#rows;
  }

  /** A slice is complete, so later rows cannot change the result. */
  get isFull(): boolean {
    return this.#pipeline.isFull;
  }

  /** Runs the verbs on the newest group of the spool. */
  add(chunks: readonly Chunk[]): void {
    const frame = this.builder.frameOf(chunks);
    const { dtypes } = frame;
    const types = new Map(frame.columns.map((name, at) => [name, String(dtypes[at])]));
    const changed = [...types].filter(([name, type]) => this.#types.get(name) !== type).map(([name]) => name);
    const isFirst = this.#types.size === 0;
    const { reads } = this.plan;
    const read = changed.find((name) => reads === "all" || reads.has(name));
    if (this.#yielded > 0 && read !== undefined) throw widened(read, this.#types.get(read), types.get(read));
    this.#types = types;
    if (changed.length > 0 && !isFirst) this.#rerun();
    else this.#apply(frame);
  }

  /** Takes the next rows to yield. Afterwards the types that verbs read must not change. */
  take(rows: number): PolarsFrame {
    const parts: PolarsFrame[] = [];
    let left = rows;
    for (let [first] = this.#outputs; first !== undefined; [first] = this.#outputs) {
      const count = Math.min(left, first.frame.height - this.#yieldedOfFirst);
      parts.push(first.frame.slice(this.#yieldedOfFirst, count));
      left -= count;
      this.#yieldedOfFirst += count;
      if (this.#yieldedOfFirst < first.frame.height) break;
      this.#outputs.shift();
      this.spool.drop(1);
      this.#yieldedOfFirst = 0;
    }
    this.#rows -= rows;
    this.#yielded += rows;
    return concatRows(parts);
  }

  /** All rows not yielded yet. */
  all(): PolarsFrame {
    return concatRows(this.#outputs.map(({ frame }) => frame));
  }

  /** Runs the verbs again on all groups, with the final types. */
  *runOnFinalTypes(): Generator<PolarsFrame, void, undefined> {
    const pipeline = new Pipeline(this.plan.streamed);
    for (const chunks of this.spool.groups()) {
      yield runPolars(() => pipeline.apply(this.builder.frameOf(chunks)));
      if (pipeline.isFull) return;
    }
  }

  #rerun(): void {
    this.#pipeline = this.#outputs[0]?.before.fork() ?? this.#pipeline;
    this.#outputs = [];
    this.#rows = -this.#yieldedOfFirst;
    for (const chunks of this.spool.groups()) this.#apply(this.builder.frameOf(chunks));
  }

  #apply(frame: PolarsFrame): void {
    const before = this.#pipeline.fork();
    const output = runPolars(() => this.#pipeline.apply(frame));
    this.#outputs.push({ before, frame: output });
    this.#rows += output.height;
  }
}

function widened(name: string, from: string | undefined, to: string | undefined): ArchiveError {
  const type = (text = "") => text.slice(text.indexOf("(") + 1, text.endsWith(")") ? -1 : undefined);
  const change = from === undefined ? `appeared as ${type(to)}` : `changed from ${type(from)} to ${type(to)}`;
  return new ArchiveError(
    `column ${quoted(name)} ${change} on a later page, but a verb had already used it for rows that were yielded.`,
    {
      code: "COLUMN_WIDENED",
      hint: "Use collect() or sink(), which apply verbs to the final types.",
    },
  );
}

/** How many rows a slice still skips, and then keeps. */
interface Counter {
  skip: number;
  left: number;
}

/** The streamed verbs of a scan, applied to frame after frame. Slices count rows across frames. */
class Pipeline {
  /** @param counters of the verbs that are slices */
  constructor(
    readonly verbs: readonly Verb[],
    readonly counters: readonly (Counter | undefined)[] = verbs.map(
      ({ slice }) => slice && { skip: slice.offset, left: slice.length },
    ),
  ) {}

  /** A slice is complete, so further frames cannot add a row. */
  get isFull(): boolean {
    return this.counters.some((counter) => counter?.left === 0);
  }

  /** An independent copy with the same counters. */
  fork(): Pipeline {
    return new Pipeline(this.verbs, structuredClone(this.counters));
  }

  apply(frame: PolarsFrame): PolarsFrame {
    let lazy = frame.lazy();
    let pending = false;
    for (const [at, verb] of this.verbs.entries()) {
      const counter = this.counters[at];
      if (counter === undefined) {
        lazy = verb.apply(lazy);
        pending = true;
        continue;
      }
      const rows = pending ? lazy.collectSync() : frame;
      const skipped = Math.min(counter.skip, rows.height);
      const taken = Math.min(counter.left, rows.height - skipped);
      counter.skip -= skipped;
      counter.left -= taken;
      frame = taken === rows.height ? rows : rows.slice(skipped, taken);
      lazy = frame.lazy();
      pending = false;
    }
    return pending ? lazy.collectSync() : frame;
  }
}
