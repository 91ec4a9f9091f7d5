import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import type { AwsClient } from "aws4fetch";
import pRetry from "p-retry";
import { fetch } from "undici";
import type { CorpusStorage } from "../corpus/raw/storage.js";
import { ArchiveError } from "../errors/index.js";
import { ownDispatcher } from "../service/http/dispatcher.js";
import { proxySettings } from "../service/http/url.js";
import type { Bucket } from "./bucket.js";

/** Where workers put the windows that they have fetched, by relative paths. */
export interface FleetStorage extends Pick<CorpusStorage, "put" | "read" | "remove"> {
  /** For messages. */
  readonly shown: string;
}

/** Milliseconds of an attempt. */
const TIMEOUT = 60_000;
/** Attempts after the first; the waits before them double from a tenth of a second. */
const RETRIES = 6;

/** Connections. */
const CONCURRENCY = 32;

/** A bucket of an object store that speaks S3: aws4fetch signs, and the proxies of the environment are used. */
export function bucketStorage({ base, prefix, credentials, shown }: Bucket, Client: typeof AwsClient): FleetStorage {
  const client = new Client({ ...credentials(), service: "s3" });
  const settings = { baseUrl: base, concurrency: CONCURRENCY, timeout: TIMEOUT / 1000 };
  const { dispatcher } = ownDispatcher({ ...settings, proxies: () => proxySettings(process.env) });
  const attempt = async (method: string, path: string, body?: Uint8Array<ArrayBuffer>) => {
    const hash = createHash("sha256").update(body ?? "");
    const given = { method, headers: { "x-amz-content-sha256": hash.digest("hex") }, ...(body && { body }) };
    const { url, headers } = await client.sign(`${base}${prefix}${path}`, given);
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await fetch(url, { ...given, headers: [...headers], redirect: "error", signal, dispatcher });
    if (response.status < 500 && response.status !== 429) return response;
    await response.body?.cancel();
    throw new Error(String(response.status), { cause: { code: String(response.status) } });
  };
  const send = async (method: string, path: string, statuses: readonly number[], body?: Uint8Array<ArrayBuffer>) => {
    const options = { retries: RETRIES, minTimeout: 100, randomize: true };
    // The error of a failed request may contain the signed one.
    const response = await pRetry(() => attempt(method, path, body), options).catch((error) => {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      throw failure(shown, typeof code === "string" && /^\w{1,40}$/.test(code) ? code : "no response");
    });
    if (statuses.includes(response.status)) return response;
    await response.body?.cancel();
    throw failure(shown, String(response.status));
  };
  return {
    shown,
    async put(path, content) {
      const isFile = typeof content === "object" && "file" in content;
      const bytes = isFile ? await readFile(content.file) : Buffer.from(content as Uint8Array);
      await send("PUT", path, [200, 201, 204], bytes as Uint8Array<ArrayBuffer>);
      if (isFile) await rm(content.file, { force: true });
    },
    async read(path, maxBytes) {
      const response = await send("GET", path, [200, 404]);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > maxBytes) throw failure(shown, "an object is larger than expected");
        chunks.push(chunk);
      }
      return response.status === 404 ? undefined : Buffer.concat(chunks);
    },
    async remove(path) {
      await send("DELETE", path, [200, 204, 404]);
    },
  };
}

function failure(shown: string, problem: string): ArchiveError {
  return new ArchiveError(`the storage at ${shown} failed: ${problem}.`, {
    code: "QUEUE_FAILED",
    hint: "Check the bucket, AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  });
}
