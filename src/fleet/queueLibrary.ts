import { ArchiveError } from "../errors/index.js";

/** What a fleet uses of BullMQ and its Redis client. */
export type QueueLibrary = Pick<typeof import("bullmq"), "Queue" | "QueueEvents" | "Worker"> &
  Pick<typeof import("ioredis"), "Redis">;

/** Imports a module. */
type LoadModule = (name: "bullmq" | "ioredis") => Promise<unknown>;

/** Literal names, because bundlers cannot follow `import(name)`. */
const load: LoadModule = (name) => (name === "bullmq" ? import("bullmq") : import("ioredis"));

/**
 * Loads BullMQ on first use: it is optional.
 *
 * @throws ArchiveError `QUEUE_MISSING` if it cannot be loaded
 */
export async function queueLibrary(loadModule: LoadModule = load): Promise<QueueLibrary> {
  try {
    const [bullmq, ioredis] = await Promise.all([loadModule("bullmq"), loadModule("ioredis")]);
    return { ...(bullmq as QueueLibrary), Redis: (ioredis as QueueLibrary).Redis };
  } catch (cause) {
    const what = "a queue needs bullmq and ioredis, which cannot be loaded.";
    throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install bullmq@6 ioredis@5", cause });
  }
}
