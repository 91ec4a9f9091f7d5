import { badRequest } from "./httpError.js";

/** The parameters of a request. If one is repeated, the first value counts. */
export type Parameters = URLSearchParams;

/** A parameter that must be present and not blank. */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === null || value.trim() === "") throw badRequest(`${name} is required and must not be empty`);
  return value;
}

/** An optional parameter. Blank counts as absent; surrounding white space is ignored. */
export function optional(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name)?.trim();
  return value === "" ? undefined : value;
}

/** An integer from 1, or the default if the parameter is absent. */
export function positiveInteger(parameters: Parameters, name: string, fallback: number): number {
  const value = optional(parameters, name);
  if (value === undefined) return fallback;
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1) throw badRequest(`${name} must be an integer from 1`);
  return number;
}

/** A valid date as yyyy-mm-dd, or undefined if the parameter is absent. */
export function day(parameters: Parameters, name: string): string | undefined {
  const value = optional(parameters, name);
  if (value === undefined) return undefined;
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) {
    throw badRequest(`${name} must be a valid date, written yyyy-mm-dd`);
  }
  return value;
}
