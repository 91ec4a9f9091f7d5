import pMap from "p-map";
import pRetry, { AbortError } from "p-retry";
import { EnvHttpProxyAgent, request } from "undici";
import { ArchiveError } from "../errors/index.js";
import { checkPacked, maxPackedBytes, packBody, sha256, unpackBody } from "../snapshots/bodyFiles.js";
import { escaped } from "../util/quoted.js";
import type { BodyStorage } from "./bodyStorage.js";
import type { Bucket } from "./bucket.js";

/** Attempts after the first, and the milliseconds before the first of them. */
const RETRIES = 4;
const FIRST_WAIT = 200;
/** Milliseconds. */
const TIMEOUT = 30_000;
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
  readonly #dispatcher = new EnvHttpProxyAgent();

  constructor(
    readonly bucket: Bucket,
    readonly signer: Signer,
  ) {}

  /**
   * Checks that the bucket can be listed.
   *
   * @throws ArchiveError `QUEUE_FAILED`
   */
  async check(): Promise<this> {
    await this.#list("", 1);
    return this;
  }

  async store(queue: string, body: Buffer) {
    const { packed, stored } = await packBody(body);
    this.#expect(await this.#send("PUT", `${queue}/${stored.file}`, { body: packed }), [200]);
    return stored;
  }

  async read(queue: string, body: Parameters<BodyStorage["read"]>[1], maxBodyBytes: number): Promise<Buffer> {
    const path = `${queue}/${body.file}`;
    if (body.bytes > maxBodyBytes) throw new Error(`${path} has more than ${maxBodyBytes} bytes`);
    const answer = await this.#send("GET", path, { limit: maxPackedBytes(body.bytes) });
    if (answer.status === 404) throw new Error(`${path} is missing`, { cause: { code: "ENOENT" } });
    this.#expect(answer, [200]);
    return unpackBody(path, checkPacked(path, answer.body, body), body);
  }

  async remove(queue: string, { file }: { readonly file: string }): Promise<void> {
    this.#expect(await this.#send("DELETE", `${queue}/${file}`), [200, 204, 404]);
  }

  async clear(queue: string): Promise<void> {
    let token: string | undefined;
    do {
      const page = await this.#list(`${queue}/bodies/`, 1000, token);
      // Only what a fleet has stored.
      const files = page.names
        .filter((name) => name.startsWith(`${queue}/`) && isBody(name))
        .map((name) => name.slice(queue.length + 1));
      await pMap(files, (file) => this.remove(queue, { file }), { concurrency: REMOVALS });
      token = page.next;
    } while (token !== undefined);
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
    method: string,
    path: string | undefined,
    { body, query = "", limit = 65_536 }: { body?: Buffer; query?: string; limit?: number } = {},
  ): Promise<Answer> {
    const { base, prefix, credentials } = this.bucket;
    const url = `${base}${path === undefined ? "" : prefix + path}${query}`;
    const attempt = async (): Promise<Answer> => {
      const headers = { "x-amz-content-sha256": sha256(body ?? Buffer.alloc(0)) };
      const signed = await new this.signer.AwsV4Signer({ ...credentials, service: "s3", method, url, headers }).sign();
      const response = await request(signed.url, {
        method: method as "GET",
        headers: Object.fromEntries(signed.headers),
        ...(body !== undefined && { body }),
        dispatcher: this.#dispatcher,
        headersTimeout: TIMEOUT,
        bodyTimeout: TIMEOUT,
      });
      const answer = { status: response.statusCode, body: await readAtMost(response.body, limit) };
      if (answer.status >= 500 || answer.status === 429) throw this.#error(answer);
      return answer;
    };
    try {
      return await pRetry(attempt, { retries: RETRIES, minTimeout: FIRST_WAIT });
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

/** @throws AbortError for more bytes than expected: nothing of ours */
async function readAtMost(chunks: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new AbortError(`more than ${limit} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read, size);
}
