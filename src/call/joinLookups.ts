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
import { operations } from "../service/operations/operations.js";
import type { Row } from "../service/operations/rows.js";
import { CallSignal } from "../util/callSignal.js";
import { clip, quotedList } from "../util/quoted.js";
import { VIDEO_TYPES } from "../util/videoTypes.js";
import type { LookupName, LookupOptions, LookupReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { fetchedResult } from "./execution.js";
import { notebookHost } from "./notebookHost.js";
import type { RowLookup } from "./rowLookup.js";

const JOINS = {
  person: { method: "withPeople", noun: ["person", "people"] },
  program: { method: "withPrograms", noun: ["program", "programs"] },
} as const satisfies Record<LookupName, object>;

const OPTIONS: readonly string[] = ["on", "columns", "prefix", "maxRequests", "signal"];

/** Reports clip longer values that are not ids. */
const MAX_VALUE = 200;

type Join = ReturnType<typeof checkJoin>;

/** Runs `archive.withPeople` and `archive.withPrograms`. */
export async function joinLookups(
  client: ClientContext,
  lookup: RowLookup,
  frame: unknown,
  given: LookupOptions | undefined,
): Promise<PolarsFrame> {
  const join = checkJoin(lookup.operation, frame, given);
  const stop = new CallSignal([join.signal, notebookHost().signal]);
  const turn = lookup.turns.join();
  try {
    await turn.before(stop.signal);
    return await lookUpAndJoin(client, lookup, join, stop);
  } finally {
    turn.publish();
    stop.release();
  }
}

async function lookUpAndJoin(
  client: ClientContext,
  lookup: RowLookup,
  join: Join,
  stop: CallSignal,
): Promise<PolarsFrame> {
  const { operation, frame, on, others, budget } = join;
  const { method, noun } = JOINS[operation];
  const isPlaceholder = (id: string) => operation === "person" && isUnidentified(id);
  const ids = [...new Set(join.ids)].filter((id) => id !== null && !others.has(id) && !isPlaceholder(id)) as string[];
  const missing = ids.filter((id) => !lookup.has(id)).length;
  const combined = new CombinedRecorder(
    missing === 0 ? { ...client, output: { ...client.output, progress: false } } : client,
    { operation, path: operations[operation].path, query: [] },
    { operation: method, query: `${missing} ${noun[missing === 1 ? 0 : 1]}`, maxItems: missing },
  );
  const rows = new Map<string, Row>();
  const unknown = new Set<string>();
  let isCut = false;
  const one = async (id: string) => {
    try {
      const row = await lookup.find(client, id, combined, { signal: stop.signal, budget });
      if (row === undefined) unknown.add(id);
      else rows.set(id, row);
    } catch (error) {
      if (error instanceof NotFoundError) unknown.add(id);
      else if (error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS") isCut = true;
      else throw error;
    }
  };
  const joined = () => {
    const own = combined.provenance(method, { on });
    const { requests, verdict, reason, firstResponseAt, lastResponseAt, sha256 } = own;
    const report: LookupReport = {
      ...{ operation, on, ids: ids.length + others.size, found: rows.size, requests, verdict, reason },
      unresolved: [...ids.filter((id) => unknown.has(id)), ...others],
      notAsked: ids.filter((id) => !rows.has(id) && !unknown.has(id)),
      ...{ firstResponseAt, lastResponseAt, sha256 },
    };
    const skipped = report.notAsked.length || undefined;
    const before = provenanceOf(frame);
    const provenance =
      before === undefined
        ? own
        : derived(before, stepOf(method, "columns", [{ on, ids: report.ids, found: report.found, skipped }]));
    const lookups = [...(before?.lookups ?? []), report];
    return setProvenance(appendColumns(frame, joinedColumns(join, rows)), { ...provenance, lookups });
  };
  combined.onPage();
  try {
    // With a budget, the order of the responses must not affect what is looked up.
    await pMap(ids, one, { concurrency: budget === undefined ? client.concurrency : 1 });
  } catch (error) {
    stop.abort(); // the other lookups; the client keeps the rows found, so repeating the call continues
    combined.end(rows.size, [], error instanceof ArchiveError ? error.code : "failed");
    if (combined.total.pages === 0) throw error;
    const fetched = fetchedResult(combined.total, "polars", joined, method);
    client.remember(fetched);
    if (error instanceof ArchiveError) error.partial = fetched;
    throw error;
  }
  combined.end(rows.size, [], undefined, isCut ? "maxRequests" : undefined);
  return joined();
}

function checkJoin(operation: LookupName, given: unknown, lookupOptions: LookupOptions | undefined) {
  const { method } = JOINS[operation];
  const frame = checkPolarsFrame(
    given,
    "frame",
    `a polars frame, for example ${method}(await archive.mentions("climate"))`,
  );
  const options = checkedOptions(lookupOptions, OPTIONS, `option of ${method}`);
  const on = options.on === undefined ? `${operation}id` : nonEmptyString("on", options.on, `${operation}id`);
  const prefix = options.prefix ?? `${operation}_`;
  if (typeof prefix !== "string")
    throw invalid("prefix", prefix, `Give a string, for example prefix: "${operation}_".`);
  const { maxRequests, signal } = options;
  const declared = Object.keys(operations[operation].columns);
  const columns = options.columns === undefined ? undefined : checkMembers(options.columns, declared);
  const names = new Set(frame.columns);
  const added = (columns ?? declared.filter((name) => name !== "id")).map((name) => `${prefix}${name}`);
  const taken = added.filter((name) => names.has(name));
  if (taken.length > 0) {
    const hint = `Drop them, for example frame.drop("${taken[0]}"), or give another prefix, for example prefix: "${operation}2_".`;
    throw faulty("frame", `it already has ${quotedList(taken)}`, hint);
  }
  return {
    ...{ operation, frame, on, columns, prefix, ...idColumn(frame, on) },
    budget:
      maxRequests === undefined ? undefined : new RequestBudget(nonNegativeInteger("maxRequests", maxRequests, 500)),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
}

/** Undeclared members are possible, but a near miss is a typo. */
function checkMembers(columns: unknown, declared: readonly string[]): readonly string[] {
  const names = nameList("columns", columns, declared[1] as string);
  for (const name of names) {
    const near = declared.includes(name) ? undefined : nearest(name, declared);
    if (near !== undefined) throw invalid("columns", name, `Did you mean ${show(near)}?`);
  }
  return [...new Set(names)];
}

/**
 * Reads a column of ids: positive integers, as numbers or text.
 *
 * @returns an id per row, null for a missing value; and the distinct values that are not ids
 */
function idColumn(frame: PolarsFrame, on: string) {
  const columns = frame.columns;
  if (!columns.includes(on)) {
    const near = nearest(on, columns);
    const hint = near === undefined ? `Its columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`;
    throw faulty("on", `the frame has no column ${show(on)}`, hint);
  }
  const others = new Set<string>();
  const ids = valuesOf<unknown>(frame, on).map((value) => {
    if (value === null || value === undefined || value === "" || Number.isNaN(value)) return null;
    const text = clip(String(value), MAX_VALUE);
    if (!/^[1-9]\d{0,18}$/.test(text)) others.add(text);
    return text;
  });
  if (others.size > 0 && ids.every((id) => id === null || others.has(id)))
    throw invalid("on", on, `The column contains ${quotedList([...others], 3)} instead of ids.`);
  return { ids, others };
}

function joinedColumns({ operation, frame, ids, columns, prefix }: Join, rows: ReadonlyMap<string, Row>): PolarsFrame {
  // Ids without a row get the empty last row.
  const found = toDataFrame([...rows.values(), {}], { operation });
  const members = columns ?? found.columns.filter((name) => name !== "id");
  const missing = members.filter((name) => !found.columns.includes(name));
  if (missing.length > 0 && rows.size > 0)
    throw faulty("columns", `there is no ${quotedList(missing)}`, `Give some of ${quotedList(found.columns)}.`);
  const positions = new Map([...rows.keys()].map((id, at) => [id, at]));
  const indexes = ids.map((id) => positions.get(id ?? "") ?? rows.size);
  const taken = new Set(frame.columns);
  const series = members.map((name) => {
    const values = missing.includes(name) ? pl.Series(name, [null], pl.Utf8) : found.getColumn(name);
    let unused = `${prefix}${name}`;
    while (taken.has(unused)) unused += "_";
    taken.add(unused);
    return values.gather(indexes).rename(unused);
  });
  const hasTypes = operation === "program" && taken.has("videoTypeId") && !taken.has("videotype");
  return pl.DataFrame(hasTypes ? [videotypes(frame), ...series] : series);
}

const TYPE_NAMES = new Map(Object.entries(VIDEO_TYPES).map(([name, number]) => [String(number), name]));

function videotypes(frame: PolarsFrame): pl.Series {
  const names = valuesOf(frame, "videoTypeId").map((number) => TYPE_NAMES.get(String(number)) ?? null);
  return pl.Series("videotype", names, pl.Utf8);
}
