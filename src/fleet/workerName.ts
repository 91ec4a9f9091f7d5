import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Those of a worker that does not say it, and the most that are believed. */
const DEFAULT_PLACES = 4;
const MAX_PLACES = 1000;

/**
 * The name of a worker at Redis, which lists the names of its connections. It says how many requests the worker sends in parallel, so
 * that no more pages are given to the workers than they can request at once.
 *
 * @example
 * workerName(4); //=> "4-host-4711-1f2e3d4c"
 */
export function workerName(places: number): string {
  return `${places}-${hostname().replace(/[^\w.-]/g, "_")}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/**
 * How many requests a worker sends in parallel.
 *
 * @param connection the name of its connection, which ends with that of the worker; undefined from a server that lists none
 */
export function placesOf(connection: string | undefined): number {
  if (connection === undefined) return MAX_PLACES;
  const [, places] = /:w:(\d{1,5})-/.exec(connection) ?? [];
  return places === undefined ? DEFAULT_PLACES : Math.min(Number(places), MAX_PLACES);
}
