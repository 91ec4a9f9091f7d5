import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Of a worker that does not say it, and the highest that is believed. */
const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 1000;

/**
 * The name of a worker at Redis, which lists the names of its connections. It says how many requests the worker sends in parallel, so
 * that no more pages are given to the workers than they can request at once.
 *
 * @example
 * workerName(4); //=> "4-host-4711-1f2e3d4c"
 */
export function workerName(concurrency: number): string {
  return `${concurrency}-${hostname().replace(/[^\w.-]/g, "_")}-${process.pid}-${randomUUID().slice(0, 8)}`;
}

/**
 * How many requests a worker sends in parallel.
 *
 * @param connection the name of its connection, which ends with that of the worker; undefined from a server that lists none
 */
export function concurrencyOf(connection: string | undefined): number {
  if (connection === undefined) return MAX_CONCURRENCY;
  const [, concurrency] = /:w:(\d{1,5})-/.exec(connection) ?? [];
  return concurrency === undefined ? DEFAULT_CONCURRENCY : Math.min(Number(concurrency), MAX_CONCURRENCY);
}
