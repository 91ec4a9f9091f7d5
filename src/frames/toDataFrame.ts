import { checkedOptions, oneOf } from "../errors/validators.js";
import type { MemberType } from "../pages/rows.js";
import { type OperationSpelling, operationNamed, operations } from "../service/operations/operations.js";
import type { DecidingOption, OrDefault } from "../util/frameTypes.js";
import { flagOf } from "./dtypes.js";
import { ENGINES, type Engine, type FrameTypes, inEngine } from "./engine.js";
import { frameOfRows } from "./irregularRows.js";
import { provenanceOf, setProvenance } from "./provenanceOf.js";
import { toRecords } from "./toRecords.js";

/** Options of {@link toDataFrame}. */
export interface ToDataFrameOptions {
  /** `"polars"` (default) or `"danfo"`. */
  engine?: Engine | undefined;
  /** The operation that returned the rows. The frame then starts with its declared columns, in order and with their dtypes. */
  operation?: OperationSpelling | undefined;
}

/**
 * Converts anything that contains rows (see `toRecords`) to a frame, with the columns and dtypes that the client gives.
 *
 * @param options `engine`: "polars" (default) or "danfo"; `operation`: the one that returned the rows, whose declared columns come first
 * @throws ValidationError for values that no frame holds, such as a Map or a URL; ArchiveError `ENGINE_MISSING`
 * @example
 * toDataFrame([{ id: 1, by: { name: "Ann" } }, { id: 2, tags: ["a"] }]).columns; //=> ["id", "by", "tags"]
 */
export function toDataFrame<E extends Engine | undefined = undefined>(
  data: unknown,
  options?: ToDataFrameOptions & DecidingOption<Pick<ToDataFrameOptions, "engine">, E>,
): FrameTypes[OrDefault<E, "polars">] {
  const checked = checkedOptions(options, ["engine", "operation"], "option of toDataFrame");
  const engine = checked.engine === undefined ? "polars" : oneOf("engine", checked.engine, ENGINES);
  const columns: Readonly<Record<string, MemberType>> =
    checked.operation === undefined ? {} : operations[operationNamed(checked.operation)].columns;
  const declared = new Map(Object.entries(columns).map(([name, type]) => [name, flagOf(type)]));
  const frame = inEngine(frameOfRows(declared, toRecords(data)), engine);
  return setProvenance(frame, provenanceOf(data)) as FrameTypes[OrDefault<E, "polars">];
}
