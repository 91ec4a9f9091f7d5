import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import type { Secret } from "../service/http/secret.js";

const BYTES = 4;

/** What {@link keyId} returns. Whoever can write to Redis can add others. */
export const KEY_ID = /^[\da-f]{8}$/;

/**
 * What a queue calls a key: workers with the same key share its quota. Redis may see it: it is different in every queue, slow to compute,
 * and too short to tell a key from 2^32 others.
 *
 * @param queue the name of the queue
 * @example
 * await keyId(new Secret("0123456789"), "0123456789abcdef-01234567"); //=> "7a5b2e90"
 */
export async function keyId(key: Secret, queue: string): Promise<string> {
  const hash = (await promisify(scrypt)(key.reveal(), queue, BYTES)) as Buffer;
  return hash.toString("hex");
}
