import type { Event } from "js-yaml";
import type { Path } from "./readRecords.js";

type Yaml = typeof import("js-yaml");

/**
 * The line of a value in a YAML text, from 1. Where the path leads to nothing, the line of the value that should contain it.
 *
 * @param text YAML that `load` has accepted
 */
export function lineOf(yaml: Yaml, text: string, path: Path): number {
  const events = yaml.parseEvents(text, { maxDepth: Number.POSITIVE_INFINITY });
  return text.slice(0, offsetOf(yaml, text, events, path)).split("\n").length;
}

function offsetOf(yaml: Yaml, text: string, events: readonly Event[], path: Path): number {
  const { EVENT_ID: ID } = yaml;
  // After the document event.
  let at = 1;
  for (const step of path) {
    const child = stepInto(at, step);
    if (child === undefined) break;
    at = child;
  }
  return startOf(events[at]);

  function stepInto(parent: number, step: string | number): number | undefined {
    const isMapping = events[parent]?.type === ID.MAPPING;
    if (!isMapping && events[parent]?.type !== ID.SEQUENCE) return undefined;
    let position = 0;
    for (let child = parent + 1; events[child]?.type !== ID.POP && child < events.length; child = after(child)) {
      const key = events[child];
      if (isMapping) child = after(child);
      const isWanted = isMapping
        ? key?.type === ID.SCALAR && yaml.getScalarValue(text, key) === step
        : position++ === step;
      if (isWanted) return child;
    }
    return undefined;
  }

  /** The event after a value with all that it contains. */
  function after(value: number): number {
    let depth = 0;
    let next = value;
    do {
      const type = events[next++]?.type;
      if (type === ID.SEQUENCE || type === ID.MAPPING) depth++;
      else if (type === ID.POP) depth--;
    } while (depth > 0 && next < events.length);
    return next;
  }
}

function startOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if ("start" in event) return event.start;
  return "valueStart" in event ? event.valueStart : 0;
}
