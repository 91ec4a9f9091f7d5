import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { invalid, nonNegativeInteger, oneOf } from "../errors/validators.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { RequestBudget } from "../service/http/requester.js";
import { operationNamed, SEARCHES, type SearchName, takes } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { RowCounter } from "../service/paging/countRows.js";
import { CallSignal } from "../util/callSignal.js";
import { sum } from "../util/sum.js";
import { COUNT_GROUPS, type Count, type CountGroup } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { countFromRows, type GroupedSearch, type GroupSearch } from "./countFromRows.js";
import { checkCall } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";
import { requestsByPeriod } from "./requestsByPeriod.js";

const OPTIONS = ["signal", "unchecked", "engine", "by", "groups", "maxRequests"];

/** Runs `archive.count`. Its arguments are those of the public method. */
export async function count(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Count | FrameTypes[Engine]> {
  const name = operationNamed(operation, SEARCHES);
  const { request, engine, signal } = checkCall(name, query, options, client.output, OPTIONS);
  const { maxRequests, cursor, page } = options;
  for (const [position, value] of Object.entries({ cursor, page }))
    if (value != null) throw invalid(position, value, "A count starts at the first page. Leave it out.");
  const budget =
    maxRequests == null ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500));
  const by = options.by == null ? undefined : oneOf("by", options.by, COUNT_GROUPS);
  if (by === undefined && options.groups != null) throw invalid("groups", options.groups, 'It needs by: "personid".');
  const groups = by === undefined ? [{ group: "", request }] : searchesBy(by, name, request, options);

  const combined = new CombinedRecorder(client, request);
  const stop = new CallSignal([signal, notebookHost().signal]);
  const { requester, redact, output } = client;
  const counterOf: GroupedSearch["counterOf"] = (search, onRows) =>
    new RowCounter(search, {
      ...{ requester, redact, budget, pageSize: output.pageSize, signal: stop.signal, recorder: combined.add(search) },
      onPage: (fetched, isByCursor) => {
        combined.onPage();
        if (isByCursor) onRows?.(fetched);
      },
    });
  const countOne = async (search: GroupSearch): Promise<Count> => {
    const counter = counterOf(search.request);
    const counted = await counter.count().finally(() => counter.close());
    return Object.freeze({ ...counted, requests: counter.options.recorder.requests });
  };
  // With a budget, the order of the responses must not affect what is counted.
  const concurrency = budget === undefined ? client.concurrency : 1;
  try {
    const fromRows = by && (await countFromRows({ request, by, groups, budget, counterOf }));
    const counts = fromRows ?? (await pMap(groups, countOne, { concurrency }));
    const incomplete = counts.find(({ verdict }) => verdict !== "exact");
    combined.end(combined.total.rows, [], undefined, incomplete?.reason ?? undefined);
    const parameters = Object.fromEntries(request.query);
    if (by !== undefined) {
      // Requests for several groups together count in the first, so that the column adds up.
      const shared = combined.total.requests - sum(counts.map(({ requests }) => requests));
      const rows = counts.map((each, at) => {
        return { [by]: groups[at]?.group, ...each, requests: each.requests + (at === 0 ? shared : 0) };
      });
      return setProvenance(toDataFrame(rows, { engine }), combined.provenance(name, { ...parameters, by }));
    }
    const [single] = counts as [Count];
    if (single.rows === 0 && incomplete === undefined) warnOfNoRows(request);
    return setProvenance(single, combined.provenance(name, parameters));
  } catch (error) {
    stop.abort(); // the other searches
    combined.end(combined.total.rows, [], error instanceof ArchiveError ? error.code : "unknown");
    throw error;
  } finally {
    stop.release();
  }
}

function searchesBy(
  by: CountGroup,
  operation: SearchName,
  request: ArchiveRequest,
  { groups, unchecked, personid }: Readonly<Record<string, unknown>>,
): readonly GroupSearch[] {
  const parameter = by === "personid" ? by : "mindate";
  if (!takes(operation, parameter)) {
    const able = SEARCHES.filter((name) => takes(name, parameter)).join(" and ");
    throw invalid("by", by, `Only ${able} can be counted by ${by}.`);
  }
  if (by !== "personid") {
    if (groups != null) throw invalid("groups", groups, `It does not apply to by: "${by}".`);
    const searches = requestsByPeriod(by, request, unchecked);
    return searches.map(({ name, request }) => ({ group: by === "congress" ? Number(name) : name, request }));
  }
  if (personid != null) throw invalid(by, personid, `by: "${by}" sets it. Leave it out, or count without by.`);
  if (!Array.isArray(groups) || groups.length === 0) {
    throw invalid("groups", groups, "Give the values of personid to count, for example groups: [6153, 53].");
  }
  const parameters = { ...Object.fromEntries(request.query), unchecked };
  return [...new Set(groups as Array<number | string>)].map((group) => {
    return { group, request: buildRequest(operation, { ...parameters, personid: group }) };
  });
}
