import { createHash } from "node:crypto";

/** The Redis set of the queues that have work. */
export const QUEUES = "archive-frames:queues";

/** The name of BullMQ's queue of a key, below the prefix of a corpus. */
export function pagesOf(keyId: string): string {
  return `pages-${keyId}`;
}

/** The Redis hash in which a coordinator says how far it is. */
export function progressOf(name: string): string {
  return `${prefixOf(name)}:progress`;
}

/** The Redis set of the keys that workers have for a queue. */
export function keysOf(name: string): string {
  return `${prefixOf(name)}:keys`;
}

/** What {@link queueName} returns. Whoever can write to Redis can add other names. */
export const QUEUE_NAME = /^[\da-f]{16}-[\da-f]{8}$/;

/**
 * The name of the queue of a corpus: its id, and the service, so that no worker of another service takes its pages.
 *
 * @param id the id of the corpus
 */
export function queueName(id: string, baseUrl: string): string {
  return `${id}-${serviceOf(baseUrl)}`;
}

/** Whether a queue belongs to a service. */
export function isOfService(name: string, baseUrl: string): boolean {
  return QUEUE_NAME.test(name) && name.endsWith(`-${serviceOf(baseUrl)}`);
}

/** The prefix of all Redis keys of a queue. */
export function prefixOf(name: string): string {
  return `archive-frames:${name}`;
}

function serviceOf(baseUrl: string): string {
  return createHash("sha256").update(baseUrl).digest("hex").slice(0, 8);
}
