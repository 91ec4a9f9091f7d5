import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readBody, storeBody } from "../responses/bodyFiles.js";
import type { BodyStorage } from "./bodyStorage.js";

/** Bodies in a directory that all machines see: NFS, or that of a single machine. */
export function directoryStorage(dir: string): BodyStorage {
  return {
    store: (queue, body) => storeBody(join(dir, queue), body),
    read: (queue, body, maxBodyBytes) => readBody(join(dir, queue), body, maxBodyBytes),
    async remove(queue, files) {
      for (const file of files) await rm(join(dir, queue, file), { force: true });
    },
    clear: (queue) => rm(join(dir, queue), { recursive: true, force: true }),
    close: async () => undefined,
  };
}
