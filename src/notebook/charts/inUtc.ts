import { mapSpec } from "./specParts.js";

/**
 * The specification with its times in UTC, as they are in frames: the same chart in every time zone. Vega-Lite would take the
 * zone of the machine, and put a speech of the evening into another month. A scale or a unit that is given explicitly stays.
 */
export function inUtc(spec: unknown): unknown {
  return mapSpec(spec, (part) => {
    const { timeUnit, type, scale } = part;
    if (typeof timeUnit === "string")
      return { ...part, timeUnit: timeUnit.startsWith("utc") ? timeUnit : `utc${timeUnit}` };
    if (typeof timeUnit === "object" && timeUnit !== null) return { ...part, timeUnit: { utc: true, ...timeUnit } };
    const isTemporal = type === "temporal" && "field" in part && scale !== null;
    return isTemporal ? { ...part, scale: { type: "utc", ...(scale as object | undefined) } } : part;
  });
}
