import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Secret } from "../service/http/secret.js";

const BYTES = 4;

/** What {@link keyId} returns. Whoever can write to Redis can add others. */
export const KEY_ID = /^[\da-f]{8}$/;

/**
 * The id of a key in a queue, by which workers with the same key share its quota. It reveals nothing about the key to Redis: it differs
 * from queue to queue, is slow to compute, and is too short to confirm a guess.
 *
 * @param queue the name of the queue
 * @example
 * await keyId(new Secret("0123456789"), "0123456789abcdef-01234567"); //=> "7a5b2e90"
 */
export async function keyId(key: Secret, queue: string): Promise<string> {
  const hash = (await promisify(scrypt)(key.reveal(), queue, BYTES)) as Buffer;
  return hash.toString("hex");
}
