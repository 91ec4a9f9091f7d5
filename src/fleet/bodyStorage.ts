import type { StoredBody } from "./pageResult.js";

/** Where workers put the bodies of responses for the coordinator, by the name of the queue. */
export interface BodyStorage {
  /** Stores a body in a file named after its content. */
  store(queue: string, body: Buffer): Promise<StoredBody>;
  /**
   * Reads a body, and checks it: whoever can write to Redis can name any file.
   *
   * @throws Error whose cause has the code `ENOENT` if it is missing, others if it is not the stored one
   */
  read(queue: string, body: StoredBody, maxBodyBytes: number): Promise<Buffer>;
  /** Removes bodies. */
  remove(queue: string, files: readonly string[]): Promise<void>;
  /** Removes all bodies of a queue. */
  clear(queue: string): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}
