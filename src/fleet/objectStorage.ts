import pMap from "p-map";
import pRetry from "p-retry";
import { ArchiveError } from "../errors/index.js";
import { checkPacked, maxPackedBytes, packBody, sha256, unpackBody } from "../responses/bodyFiles.js";
import { type OwnedDispatcher, ownDispatcher } from "../service/http/dispatcher.js";
import { sendOnce } from "../service/http/exchange.js";
import { BodyError } from "../service/http/httpResponse.js";
import { proxySettings } from "../service/http/url.js";
import { escaped } from "../util/quoted.js";
import type { BodyStorage } from "./bodyStorage.js";
import type { Bucket } from "./bucket.js";
import type { StoredBody } from "./pageResult.js";

/** Attempts after the first, and the milliseconds before the first of them. */
const RETRIES = 4;
const FIRST_WAIT = 200;
/** Seconds of an attempt. */
const TIMEOUT = 30;
/** Connections to the object store. */
const CONNECTIONS = 16;
/** Bytes of a list of objects. */
const MAX_LIST = 2 ** 22;
/** Objects that are removed at once. */
const REMOVALS = 8;

/** Signs requests: what is used of aws4fetch. */
export type Signer = Pick<typeof import("aws4fetch"), "AwsV4Signer">;

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Bodies in a bucket of an object store that speaks S3. */
export class ObjectStorage implements BodyStorage {
  readonly #owned: OwnedDispatcher;

  constructor(
    readonly bucket: Bucket,
    readonly signer: Signer,
  ) {
    const proxies = proxySettings(process.env);
    const options = { baseUrl: bucket.base, concurrency: CONNECTIONS, timeout: TIMEOUT, proxies: () => proxies };
    this.#owned = ownDispatcher(options, () => true);
  }

  /**
   * Checks that the bucket can be listed.
   *
   * @throws ArchiveError `QUEUE_FAILED`
   */
  async check(): Promise<this> {
    await this.#list("", 1);
    return this;
  }

  async store(queue: string, body: Buffer): Promise<StoredBody> {
    const { packed, stored } = await packBody(body);
    this.#expect(await this.#send("PUT", `${queue}/${stored.file}`, { body: packed }), [200]);
    return stored;
  }

  async read(queue: string, body: StoredBody, maxBodyBytes: number): Promise<Buffer> {
    const path = `${queue}/${body.file}`;
    if (body.bytes > maxBodyBytes) throw new Error(`${path} has more than ${maxBodyBytes} bytes`);
    const answer = await this.#send("GET", path, { limit: maxPackedBytes(body.bytes) });
    if (answer.status === 404) throw new Error(`${path} is missing`, { cause: { code: "ENOENT" } });
    this.#expect(answer, [200]);
    return unpackBody(path, checkPacked(path, answer.body, body), body);
  }

  async remove(queue: string, files: readonly string[]): Promise<void> {
    const remove = async (file: string) =>
      this.#expect(await this.#send("DELETE", `${queue}/${file}`), [200, 204, 404]);
    await pMap(files, remove, { concurrency: REMOVALS });
  }

  async clear(queue: string): Promise<void> {
    let token: string | undefined;
    do {
      const page = await this.#list(`${queue}/bodies/`, 1000, token);
      // Only what a fleet has stored.
      const files = page.names
        .filter((name) => name.startsWith(`${queue}/`) && isBody(name))
        .map((name) => name.slice(queue.length + 1));
      await this.remove(queue, files);
      token = page.next;
    } while (token !== undefined);
  }

  async close(): Promise<void> {
    await this.#owned.destroy();
  }

  /** The names of objects that begin with a text, below the prefix of the storage, as they are escaped in XML; a page of them. */
  async #list(begins: string, most: number, token?: string): Promise<{ names: string[]; next: string | undefined }> {
    const { prefix } = this.bucket;
    const parameters = { "list-type": "2", "max-keys": String(most), prefix: prefix + begins };
    const query = new URLSearchParams({ ...parameters, ...(token !== undefined && { "continuation-token": token }) });
    const answer = await this.#send("GET", undefined, { query: `?${query}`, limit: MAX_LIST });
    this.#expect(answer, [200]);
    const text = answer.body.toString("utf8");
    const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key as string);
    const [, next] = /<NextContinuationToken>([^<]+)</.exec(text) ?? [];
    return { names: keys.map((key) => key.slice(prefix.length)), next };
  }

  /** Sends a request for an object, or for the bucket. Repeats what may succeed. */
  async #send(
    method: "GET" | "PUT" | "DELETE",
    path: string | undefined,
    { body, query = "", limit = 65_536 }: { body?: Buffer; query?: string; limit?: number } = {},
  ): Promise<Answer> {
    const { base, prefix, credentials } = this.bucket;
    const url = `${base}${path === undefined ? "" : prefix + path}${query}`;
    const attempt = async (): Promise<Answer> => {
      const headers = { "x-amz-content-sha256": sha256(body ?? Buffer.alloc(0)) };
      const signed = await new this.signer.AwsV4Signer({ ...credentials, service: "s3", method, url, headers }).sign();
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(new Error("no complete response")), TIMEOUT * 1000);
      try {
        const { dispatcher } = this.#owned;
        const sent = { dispatcher, headers: Object.fromEntries(signed.headers), signal: stop.signal };
        const response = await sendOnce(signed.url, { ...sent, method, content: body });
        const answer = { status: response.status, body: await response.read(limit) };
        if (answer.status >= 500 || answer.status === 429) throw this.#error(answer);
        return answer;
      } finally {
        clearTimeout(timer);
      }
    };
    // A body that is larger than expected is none of ours.
    const shouldRetry = ({ error }: { readonly error: unknown }) =>
      !(error instanceof BodyError && error.kind === "too large");
    try {
      return await pRetry(attempt, { retries: RETRIES, minTimeout: FIRST_WAIT, shouldRetry });
    } catch (error) {
      throw error instanceof ArchiveError ? error : this.#error(undefined, error);
    }
  }

  #expect(answer: Answer, statuses: readonly number[]): void {
    if (!statuses.includes(answer.status)) throw this.#error(answer);
  }

  #error(answer: Answer | undefined, cause?: unknown): ArchiveError {
    const [, code] = /<Code>(\w{1,60})<\/Code>/.exec(answer?.body.toString("latin1") ?? "") ?? [];
    const { code: systemCode, message } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const problem =
      answer === undefined ? escaped(String(systemCode ?? message), 100) : `${answer.status} ${code ?? ""}`.trim();
    return new ArchiveError(`the storage at ${this.bucket.shown} failed: ${problem}.`, {
      code: "QUEUE_FAILED",
      hint: "Check the bucket, AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    });
  }
}

function isBody(path: string): boolean {
  return /^[\w-]+\/bodies\/[\da-f]{2}\/[\da-f]{64}\.json\.gz$/.test(path);
}
