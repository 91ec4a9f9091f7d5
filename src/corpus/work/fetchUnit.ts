import type { ClientContext } from "../../call/clientContext.js";
import { fileProvenance } from "../../files/package/fileProvenance.js";
import { openWriter, sinkFrames } from "../../files/sinkFrames.js";
import type { StagingDirectory } from "../../files/stagingDirectory.js";
import { FrameBuilder, UnusablePageError } from "../../frames/frameBuilder.js";
import type { PolarsFrame } from "../../frames/polars.js";
import { type Journal, withJournal } from "../../responses/journal.js";
import type { RequestBudget } from "../../service/http/requester.js";
import { operations } from "../../service/operations/operations.js";
import { paginate } from "../../service/paging/pagination.js";
import { ProvenanceRecorder } from "../../service/paging/provenanceRecorder.js";
import type { Unit } from "../definition/units.js";
import { openJournal } from "./openJournal.js";
import { searchOf } from "./searchOf.js";
import { withCountedPages } from "./withCountedPages.js";
import type { WorkDirectory } from "./workDirectory.js";

/** Rows per frame that the writer gets. */
const FRAME_ROWS = 10_000;

/** What a unit needs besides its request. */
export interface FetchOptions {
  readonly recorder: ProvenanceRecorder;
  readonly budget: RequestBudget | undefined;
  readonly signal: AbortSignal;
  /** Requests in flight while a page is processed. The same for every run of a corpus: a replay sends the same requests. */
  readonly ahead: number;
  readonly onPage: () => void;
}

/**
 * Fetches the rows of a unit into `work/`. Every response goes into a journal first, so a unit that was stopped resumes
 * without repeating a request.
 *
 * @returns whether the unit is finished; false if the request budget is used up
 * @throws ArchiveError if the service or the disk fails; the journal stays
 */
export async function fetchUnit(
  client: ClientContext,
  work: WorkDirectory,
  unit: Unit,
  options: FetchOptions,
): Promise<boolean> {
  const { recorder, budget, signal } = options;
  const staging = work.stage(unit.name);
  let journal: Journal | undefined;
  try {
    journal = openJournal(staging.journal, searchOf(client, unit));
    await new UnitRows(client, journal, unit, options).write(staging);
    if (recorder.verdict !== "complete") return false;
    journal.close();
    await staging.publish(undefined, undefined);
    return true;
  } catch (error) {
    const cause = error instanceof UnusablePageError ? error.cause : error;
    // Nothing is left for a first request, or for its retry.
    if (recorder.reason === "maxRequests" && budget?.isUsedUp && !signal.aborted) return false;
    const failure = staging.toError(cause);
    journal?.dropFailed(failure, unit.request, recorder.pages);
    throw failure;
  } finally {
    journal?.close();
    if (journal !== undefined && journal.pages === 0) staging.remove();
    else staging.release();
  }
}

/** The rows of a unit on their way to its file. */
class UnitRows {
  constructor(
    readonly client: ClientContext,
    readonly journal: Journal,
    readonly unit: Unit,
    readonly options: FetchOptions,
  ) {}

  /** Writes the file. If a late row changes columns or types, it is written again from the journal. */
  async write(staging: StagingDirectory): Promise<void> {
    const { columns } = operations.mentions;
    const { recorder } = this.options;
    const builder = new FrameBuilder(columns);
    const provenanceJson = () => JSON.stringify(recordOf(recorder));
    const open = () => openWriter({ ...staging.writerTarget(), provenanceJson }, "parquet", {});
    if ((await sinkFrames(this.#frames(builder, recorder, staging.target), open)) !== undefined) return;
    const again = new ProvenanceRecorder(this.unit.request, this.client);
    await sinkFrames(this.#frames(new FrameBuilder(columns, builder.flags), again, staging.target), open);
  }

  async *#frames(
    builder: FrameBuilder,
    recorder: ProvenanceRecorder,
    path: string,
  ): AsyncGenerator<PolarsFrame, void, undefined> {
    const { client, journal, unit, options } = this;
    const { budget, signal, ahead, onPage } = options;
    // A pagination by page numbers finds the pages of a count itself.
    const requester =
      ahead > 1
        ? withJournal(client.requester, journal, path)
        : withCountedPages(client.requester, journal, recorder, path);
    const pages = paginate(unit.request, {
      requester,
      recorder,
      redact: client.redact,
      shape: () => builder.shape,
      maxItems: undefined,
      maxPages: undefined,
      pageSize: client.output.pageSize,
      budget,
      ahead,
      signals: [signal],
    });
    for await (const page of pages) {
      builder.add(page);
      if (recorder === options.recorder) onPage();
      if (builder.rows >= FRAME_ROWS) yield builder.take();
    }
    yield builder.take();
  }
}

/** What the file says of its rows; `requests` counts those of all runs. */
function recordOf(recorder: ProvenanceRecorder) {
  return { ...fileProvenance(recorder.provenance()), requests: recorder.requests };
}
