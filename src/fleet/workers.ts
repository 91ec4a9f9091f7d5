import type { Redis } from "ioredis";
import { prefixOf } from "./connection.js";

/** A worker that takes windows. */
export interface PresentWorker {
  readonly id: string;
  /** The id of its key. */
  readonly key: string;
  /** Windows in parallel. */
  readonly concurrency: number;
}

/** Seconds without a sign of life until a worker does not count. */
const PRESENT = 5;

const workersOf = (name: string): string => `${prefixOf(name)}:workers`;
const textOf = ({ id, key, concurrency }: PresentWorker): string => `${id} ${key} ${concurrency}`;

/** Says that a worker takes windows of a queue, at the time of Redis. */
export async function announce(redis: Redis, name: string, worker: PresentWorker): Promise<void> {
  const [seconds] = await redis.time();
  await redis.zadd(workersOf(name), Number(seconds), textOf(worker));
}

/** Says that it takes none. */
export async function withdraw(redis: Redis, name: string, worker: PresentWorker): Promise<void> {
  await redis.zrem(workersOf(name), textOf(worker));
}

/** The workers that take windows of a queue. */
export async function presentWorkers(redis: Redis, name: string): Promise<PresentWorker[]> {
  const [seconds] = await redis.time();
  const texts = await redis.zrangebyscore(workersOf(name), Number(seconds) - PRESENT, "+inf");
  return texts.flatMap((text) => {
    const [, id, key, concurrency] = /^([\da-f]{8}) ([\da-f]{4}) (\d{1,5})$/.exec(text) ?? [];
    return id === undefined || key === undefined ? [] : [{ id, key, concurrency: Number(concurrency) }];
  });
}
