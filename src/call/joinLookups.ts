import pMap from "p-map";
import { ArchiveError, NotFoundError } from "../errors/index.js";
import { type Engine, type FrameTypes, withColumns } from "../frames/engine.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import type { Provenance } from "../service/paging/provenanceRecorder.js";
import { CallSignal } from "../util/callSignal.js";
import { isUnidentified } from "../util/speakerId.js";
import { checkJoin, JOINS, type Join } from "./checkJoin.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { fetchedResult } from "./execution.js";
import { joinedColumns } from "./joinedColumns.js";
import type { LookupOptions, LookupReport } from "./lookupOptions.js";
import { notebookHost } from "./notebookHost.js";
import type { RowLookup } from "./rowLookup.js";

/** Runs `archive.withPeople` and `archive.withPrograms`. Their arguments are those of the public methods. */
export async function joinLookups(
  client: ClientContext,
  lookup: RowLookup,
  frame: unknown,
  given: LookupOptions | undefined,
): Promise<unknown> {
  const join = checkJoin(lookup.operation, frame, given);
  const stop = new CallSignal([join.signal, notebookHost().signal]);
  const turn = lookup.turn();
  try {
    await turn.wait(stop.signal);
    return await new LookupRun(client, lookup, join).result(stop);
  } finally {
    turn.end();
    stop.release();
  }
}

/** The lookups of one join. */
class LookupRun {
  readonly #rows = new Map<string, Row>();
  readonly #unresolved = new Set<string>();
  #isCut = false;
  readonly #ids: readonly string[];
  readonly #combined: CombinedRecorder;

  constructor(
    readonly client: ClientContext,
    readonly lookup: RowLookup,
    readonly join: Join,
  ) {
    const { operation, column } = join;
    const isPlaceholder = (id: string) => operation === "person" && isUnidentified(id);
    const isId = (id: string | null) => id !== null && !column.others.has(id) && !isPlaceholder(id);
    this.#ids = [...new Set(column.ids)].filter((id) => isId(id)) as string[];
    const missing = this.#ids.filter((id) => !lookup.has(id)).length;
    const { method, noun } = JOINS[operation];
    const output = missing === 0 ? { ...client.output, progress: false } : client.output;
    this.#combined = new CombinedRecorder(
      { ...client, output },
      { operation, path: operations[operation].path, query: [] },
      { operation: method, query: `${missing} ${noun[missing === 1 ? 0 : 1]}`, maxItems: missing },
    );
  }

  async result(stop: CallSignal): Promise<unknown> {
    const { client, join } = this;
    const combined = this.#combined;
    combined.onPage();
    try {
      await this.#lookUp(stop.signal);
    } catch (error) {
      // The other lookups stop as well. The client keeps what it has learned, so the same call continues.
      stop.abort();
      combined.end(this.#rows.size, [], error instanceof ArchiveError ? error.code : "failed");
      if (combined.total.pages === 0) throw error;
      const { method } = JOINS[join.operation];
      const fetched = fetchedResult(combined.total, join.engine, () => this.#joined(), method);
      client.remember(fetched);
      if (error instanceof ArchiveError) error.partial = fetched;
      throw error;
    }
    combined.end(this.#rows.size, [], undefined, this.#isCut ? "maxRequests" : undefined);
    return this.#joined();
  }

  async #lookUp(signal: AbortSignal): Promise<void> {
    const { client, lookup } = this;
    const { budget } = this.join;
    const { requester } = client;
    const limited: ClientContext = {
      ...client,
      requester: { request: (path, query, context) => requester.request(path, query, { ...context, budget }) },
    };
    const one = async (id: string) => {
      try {
        const row = await lookup.find(limited, id, this.#combined, signal);
        if (row === undefined) this.#unresolved.add(id);
        else this.#rows.set(id, row);
      } catch (error) {
        if (error instanceof NotFoundError) this.#unresolved.add(id);
        else if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") this.#isCut = true;
        else throw error;
      }
    };
    // With a budget, what is looked up must not depend on the order of the responses.
    await pMap(this.#ids, one, { concurrency: budget === undefined ? client.concurrency : 1 });
  }

  /** The frame with the columns of what was found, and its provenance. */
  #joined(): FrameTypes[Engine] {
    const { frame, on, operation } = this.join;
    const columns = joinedColumns(this.join, this.#rows);
    const joined = withColumns(frame, columns);
    const own = this.#combined.provenance(JOINS[operation].method, { on });
    const report = this.#report(own);
    const before = provenanceOf(frame);
    return setProvenance(joined, { ...(before ?? own), lookups: [...(before?.lookups ?? []), report] });
  }

  #report({ requests, verdict, reason, firstResponseAt, lastResponseAt, sha256 }: Provenance): LookupReport {
    const { operation, on, column } = this.join;
    const unresolved = [...this.#ids.filter((id) => this.#unresolved.has(id)), ...column.others];
    const notAsked = this.#ids.filter((id) => !this.#rows.has(id) && !this.#unresolved.has(id));
    const ids = this.#ids.length + column.others.size;
    const counts = { ids, found: this.#rows.size, unresolved, notAsked, requests };
    return { operation, on, ...counts, verdict, reason, firstResponseAt, lastResponseAt, sha256 };
  }
}
