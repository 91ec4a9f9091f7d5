import { NotFoundError } from "../errors/index.js";
import { parseExact } from "../frames/exactJson.js";
import { declaredShape, rowText } from "../pages/rows.js";
import type { RequestContext } from "../service/http/requester.js";
import { operations } from "../service/operations/operations.js";
import { buildRequest } from "../service/operations/request.js";
import type { Row } from "../service/operations/rows.js";
import { openPage } from "../service/paging/page.js";
import type { LookupName } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import type { CombinedRecorder } from "./combinedRecorder.js";
import { Relay } from "./relay.js";

/** Looks up rows by id, once per client; only failed lookups are repeated. */
export class RowLookup {
  /** Rows by id; undefined if the archive does not know the id. */
  readonly #known = new Map<string, Row | undefined>();
  /** Concurrent calls take turns, so that they share the lookups of the same ids. */
  readonly turns = new Relay<void>(undefined);

  constructor(readonly operation: LookupName) {}

  has(id: string): boolean {
    return this.#known.has(id);
  }

  learn(id: string, row: Row): void {
    if (!this.has(id)) this.#known.set(id, row);
  }

  async find(
    { requester, redact }: ClientContext,
    id: string,
    combined: CombinedRecorder,
    context: Pick<RequestContext, "signal" | "budget">,
  ): Promise<Row | undefined> {
    if (this.has(id)) return this.#known.get(id);
    const request = buildRequest(this.operation, { id });
    const recorder = combined.add(request);
    let row: Row | undefined;
    try {
      const response = await requester.request(request.path, request.query, { ...recorder.context, ...context });
      recorder.addResponse(response);
      const page = openPage(response, request, declaredShape(operations[this.operation].columns), redact);
      if (page.tape.rows > 0) row = parseExact(rowText(page, 0)) as Row;
      recorder.pages++;
      recorder.rows = row === undefined ? 0 : 1;
      combined.onPage();
    } catch (error) {
      // The service reports an unknown program as 404.
      if (this.operation !== "program" || !(error instanceof NotFoundError)) throw error;
    }
    this.#known.set(id, row);
    return row;
  }
}
