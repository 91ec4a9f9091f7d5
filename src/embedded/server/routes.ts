import { bills } from "../operations/bills.js";
import { mentions } from "../operations/mentions.js";
import type { Operation } from "../operations/operation.js";
import { people, person } from "../operations/people.js";
import { program, programsSearch } from "../operations/programs.js";
import { badRequest, notFound } from "./httpError.js";

/** The path prefix of every operation: the version of the service. */
export const BASE_PATH = "/2.0";

/** Operations by path. `*` stands for an id; earlier entries win. */
const ROUTES: readonly (readonly [string, Operation])[] = [
  ["/bills", bills],
  ["/mentions", mentions],
  ["/people", people],
  ["/people/*", person],
  ["/programs/search", programsSearch],
  ["/programs/*", program],
];

/**
 * The operation of a path, and the id at its end.
 *
 * @throws HttpError 404 for an unknown path, 400 for invalid percent-encoding
 */
export function route(path: string): { operation: Operation; id: string } {
  const local = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : "";
  for (const [pattern, operation] of ROUTES) {
    if (pattern === local) return { operation, id: "" };
    const stem = pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
    if (stem === undefined || !local.startsWith(stem)) continue;
    const id = decodeSegment(local.slice(stem.length));
    if (id !== "" && !local.slice(stem.length).includes("/")) return { operation, id };
  }
  throw notFound("there is no such path");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest("the path is not valid percent-encoding");
  }
}
