import { faulty, invalid, show } from "../../errors/validators.js";
import type { Query } from "../http/requester.js";
import { type OperationName, operations } from "./operations.js";
import { type Parameter, withCongressDates } from "./parameters.js";

/** A checked request, without key and base URL. */
export interface ArchiveRequest {
  readonly operation: OperationName;
  /** Path below the base URL, with the id filled in and percent-encoded. */
  readonly path: string;
  /** Names and values of the query string, in the order of the operation's table. */
  readonly query: Query;
}

/** Checks the parameters of an operation. Parameters that are `undefined` or `null` are not sent. */
export function buildRequest(operation: OperationName, parameters: Readonly<Record<string, unknown>>): ArchiveRequest {
  const { path, parameters: rules } = operations[operation];
  const input = parameters.congress == null ? parameters : withCongressDates(parameters);
  const unchecked = parameters.unchecked === true;
  const values = new Map<string, string>();
  for (const [name, rule] of Object.entries(rules) as Array<[string, Parameter<unknown>]>) {
    const value = input[name];
    if (value !== undefined && value !== null) values.set(name, rule.check(name, value, unchecked));
    else if (rule.required) {
      const example = name === "id" ? `${operation}(6153)` : `${operation}("climate")`;
      throw invalid(name, undefined, `It is required, for example ${example}.`);
    }
  }
  const [from, to, date] = [values.get("mindate"), values.get("maxdate"), values.get("date")];
  if (date !== undefined && ((from !== undefined && date < from) || (to !== undefined && date > to)))
    throw invalid("date", date, "It is outside of mindate and maxdate. Leave these out.");
  if (from !== undefined && to !== undefined && from > to) {
    const hint = `Give the earlier day as mindate, for example mindate: "${to}", maxdate: "${from}".`;
    throw faulty("mindate", `${show(from)} is after maxdate ${show(to)}`, hint);
  }
  const id = values.get("id");
  if (!path.endsWith("{id}") || id === undefined) return { operation, path, query: [...values] };
  return { operation, path: path.replace("{id}", encodeURIComponent(id)), query: [] };
}

export function withParameter(request: ArchiveRequest, name: string, value: string): ArchiveRequest {
  return { ...request, query: [...request.query.filter(([other]) => other !== name), [name, value]] };
}

/** A request as one line of text, for example as a key in a snapshot. */
export function requestText(path: string, query: Query): string {
  const text = new URLSearchParams(query as [string, string][]).toString();
  return text === "" ? path : `${path}?${text}`;
}
