import pMap from "p-map";
import { ArchiveError } from "../errors/index.js";
import { abortSignal, checkedOptions, faulty, invalid, nameList, oneOf } from "../errors/validators.js";
import { checkPolarsFrame } from "../frames/engine.js";
import { appendColumns } from "../frames/frameColumns.js";
import { deriveProvenance } from "../frames/lineage/derived.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { toDataFrame } from "../frames/toDataFrame.js";
import { valuesOf } from "../frames/valuesOf.js";
import { isUnidentified } from "../members/speakers.js";
import { operations, type Row } from "../service/operations/operations.js";
import { CallSignal } from "../util/callSignal.js";
import { pluralize, quotedList } from "../util/text.js";
import { checkedBudget, type LookupName, type LookupOptions, type LookupReport } from "./callOptions.js";
import type { ClientContext } from "./clientContext.js";
import { CombinedRecorder } from "./combinedRecorder.js";
import { withPartial } from "./execution.js";
import type { RowLookups } from "./rowLookups.js";

const METHODS = { person: "withPeople", program: "withPrograms" } as const satisfies Record<LookupName, string>;
const OPTIONS: readonly string[] = ["on", "columns", "prefix", "maxRequests", "signal"];
const ID = /^[1-9]\d{0,18}$/;

type Join = ReturnType<typeof checkJoin>;

/** The looked-up rows by id; undefined for an id that is invalid or that the archive does not know. */
type RowsById = ReadonlyMap<string | null, Row | undefined>;

/** Runs `archive.withPeople` and `archive.withPrograms`. */
export async function joinLookups(
  client: ClientContext,
  lookups: RowLookups,
  frame: unknown,
  options: LookupOptions | undefined,
): Promise<PolarsFrame> {
  const { operation } = lookups;
  const join = checkJoin(operation, frame, options);
  const { method, ids, budget } = join;
  const lookupCount = ids.filter((id) => ID.test(id) && !lookups.has(id)).length;
  const request = { operation, path: operations[operation].path, query: [] };
  const subject = { operation: method, query: pluralize(lookupCount, "id"), maxItems: lookupCount };
  const combined = new CombinedRecorder(client, request, subject);
  const callSignal = new CallSignal([join.signal, client.output.host.signal]);
  const rows = new Map<string, Row | undefined>();
  const lookUp = async (id: string) => {
    try {
      rows.set(id, ID.test(id) ? await lookups.find(id, { combined, budget, signal: callSignal.signal }) : undefined);
    } catch (error) {
      if (!(error instanceof ArchiveError && error.code === "OUT_OF_REQUESTS")) throw error;
    }
  };
  combined.onPage();
  try {
    // With a budget, the order of the responses must not affect what is looked up.
    await pMap(ids, lookUp, { concurrency: budget === undefined ? client.concurrency : 1 });
  } catch (error) {
    callSignal.abort();
    combined.end({ stopped: error instanceof ArchiveError ? error.code : "failed" });
    throw withPartial(client, combined.total, () => joinedFrame(join, rows, combined), error, method);
  } finally {
    callSignal.release();
  }
  combined.end({ capped: rows.size < ids.length ? "maxRequests" : undefined });
  return joinedFrame(join, rows, combined);
}

function checkJoin(operation: LookupName, value: unknown, lookupOptions: LookupOptions | undefined) {
  const method = METHODS[operation];
  // Rows and text come from a client or a search with another format.
  const format = Array.isArray(value) || typeof value === "string" ? ', { format: "dataframe" }' : "";
  const example = `${method}(await archive.mentions("climate"${format}))`;
  const frame = checkPolarsFrame(value, "frame", `a polars frame, for example ${example}`);
  const options = checkedOptions(lookupOptions, OPTIONS, `option of ${method}`);
  const { on = `${operation}id`, prefix = `${operation}_`, columns, maxRequests, signal } = options;
  if (typeof prefix !== "string")
    throw invalid("prefix", prefix, `Give a string, for example prefix: "${operation}_".`);
  const members = Object.keys(operations[operation].columns);
  if (columns !== undefined)
    for (const name of nameList("columns", columns, members[1] as string)) oneOf("columns", name, members);
  const idByRow = valuesOf<unknown>(frame, on).map((id) => {
    const isMissing = id === null || id === undefined || id === "" || Number.isNaN(id);
    return isMissing || (operation === "person" && isUnidentified(id)) ? null : String(id);
  });
  const ids = [...new Set(idByRow)].filter((id) => id !== null);
  if (ids.length > 0 && !ids.some((id) => ID.test(id)))
    throw invalid("on", on, `The column contains ${quotedList(ids, 3)} instead of ids.`);
  const join = {
    operation,
    method,
    frame,
    on,
    columns,
    prefix,
    idByRow,
    ids,
    budget: checkedBudget(maxRequests),
    signal: signal === undefined ? undefined : abortSignal("signal", signal),
  };
  checkAddedNames(join, members);
  return join;
}

/** The frame with the added columns, and with the report of the lookups in its provenance. */
function joinedFrame(join: Join, rows: RowsById, combined: CombinedRecorder): PolarsFrame {
  const { operation, method, frame, on, ids } = join;
  const provenance = combined.provenance(method, { on });
  const { requests, verdict, reason, firstResponseAt, lastResponseAt, sha256 } = provenance;
  const report: LookupReport = {
    operation,
    on,
    ids: ids.length,
    found: ids.filter((id) => rows.get(id) !== undefined).length,
    unresolved: ids.filter((id) => rows.has(id) && rows.get(id) === undefined),
    skipped: ids.filter((id) => !rows.has(id)),
    requests,
    verdict,
    reason,
    firstResponseAt,
    lastResponseAt,
    sha256,
  };
  const frameProvenance = provenanceOf(frame);
  const skipped = report.skipped.length === 0 ? "" : `, ${report.skipped.length} not looked up`;
  const noun = operation === "person" ? "people" : "programs";
  const text = `joined with ${noun} of the archive (${report.found} of ${pluralize(report.ids, "id")} found${skipped})`;
  return setProvenance(appendColumns(frame, addedColumns(join, rows)), {
    ...(frameProvenance === undefined ? provenance : deriveProvenance(frameProvenance, { verb: method, text })),
    lookups: [...(frameProvenance?.lookups ?? []), report],
  });
}

/** The members of the looked-up rows, in the order of the frame. */
function addedColumns(join: Join, rows: RowsById): PolarsFrame {
  const { operation, ids, idByRow } = join;
  // In the order of the ids, because responses arrive in any order. The last row is for frame rows without an id.
  const table = toDataFrame([...ids.map((id) => rows.get(id) ?? {}), {}], { operation });
  const positions = new Map(ids.map((id, at) => [id, at]));
  const positionByRow = idByRow.map((id) => positions.get(id ?? "") ?? ids.length);
  const names = checkAddedNames(join, table.columns);
  return pl.DataFrame([...names].map(([member, name]) => table.getColumn(member).gather(positionByRow).rename(name)));
}

/** The names of the added columns by member; throws if the frame has one of them. */
function checkAddedNames(
  { operation, frame, columns, prefix }: Pick<Join, "operation" | "frame" | "columns" | "prefix">,
  members: readonly string[],
): ReadonlyMap<string, string> {
  const added = columns ?? members.filter((name) => name !== "id");
  const names = new Map(added.map((member) => [member, `${prefix}${member}`]));
  const duplicates = [...names.values()].filter((name) => frame.columns.includes(name));
  if (duplicates.length === 0) return names;
  const hint = `Drop them, for example frame.drop("${duplicates[0]}"), or give another prefix, for example prefix: "${operation}2_".`;
  throw faulty("frame", `it already has ${quotedList(duplicates)}`, hint);
}
