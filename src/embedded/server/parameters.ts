import { badRequest } from "./httpError.js";

/** The parameters of a request; of one that is given twice, the first counts. */
export type Parameters = URLSearchParams;

/** A parameter that must be there and hold something. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === null || value.trim() === "") throw badRequest(`${name} is required and must not be empty`);
  return value;
}

/** A parameter that may be absent. Empty counts as absent, whichever it is, and blanks around a value do not count. */
export function optional(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name)?.trim();
  return value === "" ? undefined : value;
}

/** A whole number from 1 on, or the default where the parameter is absent. */
export function positiveInteger(parameters: Parameters, name: string, otherwise: number): number {
  const value = optional(parameters, name);
  if (value === undefined) return otherwise;
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1) throw badRequest(`${name} must be a whole number from 1 on`);
  return number;
}

/** A day that exists, as yyyy-mm-dd, or undefined where the parameter is absent. */
export function day(parameters: Parameters, name: string): string | undefined {
  const value = optional(parameters, name);
  if (value === undefined) return undefined;
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) {
    throw badRequest(`${name} must be a day that exists, written yyyy-mm-dd`);
  }
  return value;
}
