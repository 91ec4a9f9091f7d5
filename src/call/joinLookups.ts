import pMap from "p-map";
import { ArchiveError, NotFoundError } from "../errors/index.js";
import {
  abortSignal,
  checkedOptions,
  faulty,
  invalid,
  nameList,
  nearest,
  nonEmptyString,
  nonNegativeInteger,
  oneOf,
  show,
} from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import { appendColumns } from "../frames/frameColumns.js";
import { derived } from "../frames/lineage/derived.js";
import { stepOf } from "../frames/lineage/step.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { valuesOf } from "../frames/valuesOf.js";
import { isUnidentified } from "../members/speakerId.js";
import { RequestBudget } from "../service/http/requester.js";
import type { Row } from "../service/operations/interfaces.js";
import { operations } from "../service/operations/operations.js";
import { CallSignal } from "../util/callSignal.js";
import { pluralize } from "../util/counts.js";
import { clip, quotedList } from "../util/quoted.js";
import type { LookupName, LookupOptions, LookupReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { fetchedResult } from "./execution.js";
import { notebookHost } from "./notebookHost.js";
import type { RowLookups } from "./rowLookups.js";

const METHODS = { person: "withPeople", program: "withPrograms" } as const satisfies Record<LookupName, string>;

const OPTIONS: readonly string[] = ["on", "columns", "prefix", "maxRequests", "signal"];

/** Reports clip longer values that are not ids. */
const MAX_VALUE = 200;

type Join = ReturnType<typeof checkJoin>;

/** Runs `archive.withPeople` and `archive.withPrograms`. */
export async function joinLookups(
  client: ClientContext,
  lookups: RowLookups,
  frame: unknown,
  options: LookupOptions | undefined,
): Promise<PolarsFrame> {
  const { operation } = lookups;
  const method = METHODS[operation];
  const join = checkJoin(operation, frame, options);
  const { ids, budget } = join;
  const missing = ids.filter((id) => !lookups.has(id)).length;
  const combined = new CombinedRecorder(
    missing === 0 ? { ...client, output: { ...client.output, progress: false } } : client,
    { operation, path: operations[operation].path, query: [] },
    { operation: method, query: pluralize(missing, "id"), maxItems: missing },
  );
  const stop = new CallSignal([join.signal, notebookHost().signal]);
  const rows = new Map<string, Row>();
  const unresolved = new Set<string>();
  const lookUp = async (id: string) => {
    try {
      const row = await lookups.find(client, id, combined, { signal: stop.signal, budget });
      if (row === undefined) unresolved.add(id);
      else rows.set(id, row);
    } catch (error) {
      if (error instanceof NotFoundError) unresolved.add(id);
      else if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) throw error;
    }
  };
  const joined = () => joinedFrame(join, rows, unresolved, combined);
  combined.onPage();
  try {
    // With a budget, the order of the responses must not affect what is looked up.
    await pMap(ids, lookUp, { concurrency: budget === undefined ? client.concurrency : 1 });
  } catch (error) {
    stop.abort(); // the other lookups; the client keeps the rows so far, so repeating the call continues
    combined.end(rows.size, [], error instanceof ArchiveError ? error.code : "failed");
    if (combined.total.pages === 0) throw error;
    const fetched = fetchedResult(combined.total, "polars", joined, method);
    client.remember(fetched);
    if (error instanceof ArchiveError) error.partial = fetched;
    throw error;
  } finally {
    stop.release();
  }
  combined.end(rows.size, [], undefined, rows.size + unresolved.size < ids.length ? "maxRequests" : undefined);
  return joined();
}

/** The frame with the added columns, and with the report of the lookups in its provenance. */
function joinedFrame(
  join: Join,
  rows: ReadonlyMap<string, Row>,
  unresolved: ReadonlySet<string>,
  combined: CombinedRecorder,
): PolarsFrame {
  const { operation, frame, on, ids, invalidIds } = join;
  const method = METHODS[operation];
  const provenance = combined.provenance(method, { on });
  const { requests, verdict, reason, firstResponseAt, lastResponseAt, sha256 } = provenance;
  const report: LookupReport = {
    ...{ operation, on, ids: ids.length + invalidIds.size, found: rows.size },
    unresolved: [...ids.filter((id) => unresolved.has(id)), ...invalidIds],
    notAsked: ids.filter((id) => !rows.has(id) && !unresolved.has(id)),
    ...{ requests, verdict, reason, firstResponseAt, lastResponseAt, sha256 },
  };
  const before = provenanceOf(frame);
  const step = { on, ids: report.ids, found: report.found, skipped: report.notAsked.length || undefined };
  return setProvenance(appendColumns(frame, addedColumns(join, rows)), {
    ...(before === undefined ? provenance : derived(before, stepOf(method, "columns", [step]))),
    lookups: [...(before?.lookups ?? []), report],
  });
}

function checkJoin(operation: LookupName, value: unknown, lookupOptions: LookupOptions | undefined) {
  const method = METHODS[operation];
  const example = `${method}(await archive.mentions("climate"))`;
  const frame = checkPolarsFrame(value, "frame", `a polars frame, for example ${example}`);
  const options = checkedOptions(lookupOptions, OPTIONS, `option of ${method}`);
  const { on: column, prefix = `${operation}_`, columns: members, maxRequests, signal } = options;
  const on = column === undefined ? `${operation}id` : nonEmptyString("on", column, `${operation}id`);
  if (typeof prefix !== "string")
    throw invalid("prefix", prefix, `Give a string, for example prefix: "${operation}_".`);
  const declared = Object.keys(operations[operation].columns);
  const columns =
    members && nameList("columns", members, declared[1] as string).map((name) => oneOf("columns", name, declared));
  const added = (columns ?? declared.filter((name) => name !== "id")).map((name) => `${prefix}${name}`);
  const taken = added.filter((name) => frame.columns.includes(name));
  if (taken.length > 0) {
    const hint = `Drop them, for example frame.drop("${taken[0]}"), or give another prefix, for example prefix: "${operation}2_".`;
    throw faulty("frame", `it already has ${quotedList(taken)}`, hint);
  }
  const { idByRow, invalidIds } = idColumn(frame, on);
  const ids = [...new Set(idByRow)].filter((id): id is string => id !== null && !invalidIds.has(id));
  return {
    ...{ operation, frame, on, columns, prefix, idByRow, invalidIds },
    ids: operation === "person" ? ids.filter((id) => !isUnidentified(id)) : ids,
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
}

/** The id of each row as text, null without one, and the distinct values that are not positive integers. */
function idColumn(frame: PolarsFrame, on: string) {
  const { columns } = frame;
  if (!columns.includes(on)) {
    const near = nearest(on, columns);
    const hint = near === undefined ? `Its columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`;
    throw faulty("on", `the frame has no column ${show(on)}`, hint);
  }
  const invalidIds = new Set<string>();
  const idByRow = valuesOf<unknown>(frame, on).map((value) => {
    if (value === null || value === undefined || value === "" || Number.isNaN(value)) return null;
    const text = clip(String(value), MAX_VALUE);
    if (!/^[1-9]\d{0,18}$/.test(text)) invalidIds.add(text);
    return text;
  });
  if (invalidIds.size > 0 && idByRow.every((id) => id === null || invalidIds.has(id)))
    throw invalid("on", on, `The column contains ${quotedList([...invalidIds], 3)} instead of ids.`);
  return { idByRow, invalidIds };
}

/** The members of the looked-up rows, in the order of the frame. */
function addedColumns({ operation, frame, ids, idByRow, columns, prefix }: Join, rows: ReadonlyMap<string, Row>) {
  // In the order of the ids, so that the order of the responses does not affect the columns.
  const resolved = ids.filter((id) => rows.has(id));
  // Rows without one get the empty last row.
  const table = toDataFrame([...resolved.map((id) => rows.get(id) as Row), {}], { operation });
  const positions = new Map(resolved.map((id, at) => [id, at]));
  const positionByRow = idByRow.map((id) => positions.get(id ?? "") ?? resolved.length);
  const taken = new Set(frame.columns);
  const series = [...new Set(columns ?? table.columns.filter((name) => name !== "id"))].map((member) => {
    let name = `${prefix}${member}`;
    // The service may send a member whose column would have the name of another.
    while (taken.has(name)) name += "_";
    taken.add(name);
    return table.getColumn(member).gather(positionByRow).rename(name);
  });
  return pl.DataFrame(series);
}
