import pMap from "p-map";
import { invalid, nonNegativeInteger, oneOf } from "../errors/validators.js";
import type { Engine, FrameTypes } from "../frames/engine.js";
import { setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { RequestBudget } from "../service/http/requester.js";
import { operationNamed, SEARCHES, type SearchName, takes } from "../service/operations/operations.js";
import { type ArchiveRequest, buildRequest } from "../service/operations/request.js";
import { countRows } from "../service/paging/countRows.js";
import { CallSignal } from "../util/callSignal.js";
import type { Period } from "../util/period.js";
import { COUNT_GROUPS, type Count, type CountGroup } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { type CheckedCall, checkCall } from "./execution.js";
import { warnOfNoRows } from "./noRows.js";
import { notebookHost } from "./notebookHost.js";
import { requestsByPeriod } from "./requestsByPeriod.js";

interface CountedSearch {
  readonly group: number | string | undefined;
  readonly request: ArchiveRequest;
}

export async function count(
  client: ClientContext,
  operation: unknown,
  query: unknown,
  options: object | undefined,
): Promise<Count | FrameTypes[Engine]> {
  const name = operationNamed(operation, SEARCHES);
  const call = checkCall(name, query, options, client.output, NAMES);
  const given = (options ?? {}) as Record<string, unknown>;
  for (const position of ["cursor", "page"] as const) {
    if (given[position] != null)
      throw invalid(position, given[position], "A count starts at the first page. Leave it out.");
  }
  const { maxRequests } = given;
  const budget =
    maxRequests == null ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500));
  const by = given.by == null ? undefined : oneOf("by", given.by, COUNT_GROUPS);
  if (by === undefined) {
    if (given.groups != null) throw invalid("groups", given.groups, 'It needs by: "personid".');
    const { counts, combined } = await countAll(client, call, [{ group: undefined, request: call.request }], budget);
    const [single] = counts as [Count];
    return setProvenance(single, combined.provenance(name, Object.fromEntries(call.request.query)));
  }
  const parts = searchesBy(by, name, call.request, given);
  const { counts, combined } = await countAll(client, call, parts, budget);
  const rows = counts.map((one, at) => ({ [by]: parts[at]?.group, ...one }));
  const frame = toDataFrame(rows, { engine: call.engine });
  return setProvenance(frame, combined.provenance(name, { ...Object.fromEntries(call.request.query), by }));
}

const NAMES = ["signal", "unchecked", "engine", "by", "groups", "maxRequests"];

async function countAll(
  client: ClientContext,
  { request, signal }: CheckedCall,
  searches: readonly CountedSearch[],
  budget: RequestBudget | undefined,
) {
  const combined = new CombinedRecorder(client, request);
  const call = new CallSignal([signal, notebookHost().signal]);
  const recorders = searches.map((search) => combined.add(search.request));
  const { requester, redact, output } = client;
  const options = { requester, redact, budget, pageSize: output.pageSize, signal: call.signal };
  const one = async (search: CountedSearch, at: number): Promise<Count> => {
    const recorder = recorders[at] as (typeof recorders)[number];
    const { rows, verdict, reason } = await countRows(search.request, {
      ...options,
      recorder,
      onPage: () => combined.onPage(),
    });
    if (rows === 0 && verdict === "exact") warnOfNoRows(search.request);
    return Object.freeze({ rows, verdict, reason, requests: recorder.requests });
  };
  // With a budget, the order of the responses must not affect what is counted.
  const concurrency = budget === undefined ? client.concurrency : 1;
  try {
    const counts = await pMap(searches, one, { concurrency });
    combined.end(combined.total.rows, recorders);
    return { counts, combined };
  } catch (error) {
    call.abort(); // the other searches
    combined.end(combined.total.rows, recorders, (error as { code?: string }).code ?? "unknown");
    throw error;
  } finally {
    call.release();
  }
}

function searchesBy(
  by: CountGroup,
  operation: SearchName,
  request: ArchiveRequest,
  given: Readonly<Record<string, unknown>>,
): CountedSearch[] {
  const parameter = by === "personid" ? by : "mindate";
  if (!takes(operation, parameter)) {
    const able = SEARCHES.filter((name) => takes(name, parameter)).join(" and ");
    throw invalid("by", by, `Only ${able} can be counted by ${by}.`);
  }
  const parameters = { ...Object.fromEntries(request.query), unchecked: given.unchecked };
  const search = (group: number | string, more: object) => ({
    group,
    request: buildRequest(operation, { ...parameters, ...more }),
  });
  if (by === "personid") {
    if (given[by] != null) throw invalid(by, given[by], `by: "${by}" sets it. Leave it out, or count without by.`);
    const { groups } = given;
    if (!Array.isArray(groups) || groups.length === 0) {
      throw invalid("groups", groups, "Give the values of personid to count, for example groups: [6153, 53].");
    }
    return [...new Set(groups as Array<number | string>)].map((group) => search(group, { [by]: group }));
  }
  if (given.groups != null) throw invalid("groups", given.groups, `It does not apply to by: "${by}".`);
  return requestsByPeriod(by as Period, "by", request, given.unchecked).map(({ name, request: own }) => ({
    group: by === "congress" ? Number(name) : name,
    request: own,
  }));
}
