import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { AwsClient } from "aws4fetch";
import pRetry from "p-retry";
import { fetch } from "undici";
import { placeInside, readInside } from "../corpus/files.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { makeDirectory } from "../fs/makeDirectory.js";
import { toInputError, withFileErrors } from "../fs/toFileError.js";
import { userPath } from "../fs/userPath.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { cacheDirectory } from "../responses/snapshotOptions.js";
import { ownDispatcher } from "../service/http/dispatcher.js";
import { isLoopback, parsedUrl, proxySettings } from "../service/http/url.js";
import { isObject } from "../util/isObject.js";

/** Where workers put the windows they have fetched, by relative path. */
export interface FleetStorage {
  /** The address as messages show it. */
  readonly shown: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** @returns undefined if there is no such file */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
  remove(path: string): Promise<void>;
}

/**
 * Opens the storage that the workers and the coordinator of a fleet share. Links in a directory are not followed.
 *
 * @param given a directory or `s3://bucket/prefix`. Default: a directory in this user's cache, the same for every process on this machine
 * @param cloudOptions settings of the object store
 * @throws ValidationError; ArchiveError if the directory cannot be created; `QUEUE_MISSING` without aws4fetch
 */
export async function openStorage(given: unknown, cloudOptions: unknown): Promise<FleetStorage> {
  const dir = userPath("storage", given ?? cacheDirectory(undefined, "fleet"), "/mnt/shared/fleet");
  if (dir.startsWith("s3://")) {
    const { AwsClient } = await import("aws4fetch").catch((cause) => {
      const what = "a storage in a bucket needs aws4fetch, which cannot be loaded.";
      throw new ArchiveError(what, { code: "QUEUE_MISSING", hint: "Run: npm install aws4fetch@1", cause });
    });
    return bucketStorage(dir, cloudOptions, AwsClient);
  }
  if (/^[a-z\d+.-]{2,}:\/\//i.test(dir)) {
    const hint =
      "Give a directory that all machines share, for example /mnt/shared/fleet, or a bucket: s3://my-bucket/fleet.";
    throw invalid("storage", "…", hint);
  }
  makeDirectory(dir);
  return {
    shown: resolve(dir),
    put: async (path, content) => withFileErrors(dir, () => writeFileAtomic(placeInside(dir, path), content, 0o600)),
    read: async (path, maxBytes) => {
      try {
        return readInside(dir, path, maxBytes);
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "EACCES" ? ofAnotherUser(dir) : toInputError(error, dir);
      }
    },
    remove: async (path) => withFileErrors(dir, () => rmSync(placeInside(dir, path), { force: true })),
  };
}

/** Files in a directory are readable by their user only. */
function ofAnotherUser(dir: string): ArchiveError {
  const hint = "Run the coordinator and all workers as the same user, or give them a bucket.";
  return new ArchiveError(`the storage at ${dir} has files of another user.`, { code: "FILE_ERROR", hint, path: dir });
}

/** The settings of an object store, with the names that polars uses (`save`), and the variables of the environment for missing ones. */
const SETTINGS = {
  aws_access_key_id: ["AWS_ACCESS_KEY_ID"],
  aws_secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
  aws_session_token: ["AWS_SESSION_TOKEN"],
  aws_region: ["AWS_REGION", "AWS_DEFAULT_REGION"],
  aws_endpoint_url: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
  aws_allow_http: ["AWS_ALLOW_HTTP"],
  aws_virtual_hosted_style_request: ["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"],
};
type Settings = Readonly<Partial<Record<keyof typeof SETTINGS, string>>>;

/** Milliseconds of one attempt. Retries wait for 100 ms, then twice as long each time. */
const TIMEOUT = 60_000;
const RETRIES = { retries: 6, minTimeout: 100, randomize: true };
const CONNECTIONS = 32;

/**
 * A bucket of an S3-compatible object store. aws4fetch signs the requests. They go through the proxies of the environment.
 *
 * @param given `s3://bucket/prefix`
 * @param cloudOptions settings of the store. Missing ones come from the environment
 * @throws ValidationError, which shows no credentials
 */
function bucketStorage(given: string, cloudOptions: unknown, Client: typeof AwsClient): FleetStorage {
  const [, name = "", path = ""] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w./-]*))?$/.exec(given) ?? [];
  const parts = path.split("/").filter((part) => part !== "");
  if (name === "" || parts.some((part) => /^\.+$/.test(part)))
    throw invalid("storage", "…", "Give a bucket, for example s3://my-bucket/fleet.");
  const shown = ["s3:/", name, ...parts].join("/");
  const settings = settingsOf(cloudOptions);
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token } = settings;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const hint =
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give aws_access_key_id and aws_secret_access_key.";
    throw invalid("cloudOptions", "…", hint);
  }
  const region = settings.aws_region ?? "us-east-1";
  const baseUrl = bucketUrl(name, region, settings);
  const session = aws_session_token === undefined ? {} : { sessionToken: aws_session_token };
  const client = new Client({ accessKeyId, secretAccessKey, ...session, region, service: "s3" });
  const limits = { concurrency: CONNECTIONS, timeout: TIMEOUT / 1000 };
  const { dispatcher } = ownDispatcher({ baseUrl, ...limits, proxies: () => proxySettings(process.env) });
  const attempt = async (method: string, path: string, body?: Buffer<ArrayBuffer>) => {
    const hash = createHash("sha256").update(body ?? "");
    const request = { method, headers: { "x-amz-content-sha256": hash.digest("hex") }, ...(body && { body }) };
    const { url, headers } = await client.sign([baseUrl, ...parts, path].join("/"), request);
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await fetch(url, { ...request, headers: [...headers], redirect: "error", signal, dispatcher });
    if (response.status < 500 && response.status !== 429) return response;
    await response.body?.cancel();
    throw new Error("failed", { cause: { code: String(response.status) } });
  };
  const send = async (method: string, path: string, body?: Buffer<ArrayBuffer>) => {
    // The error of a failed request may contain its signature.
    const response = await pRetry(() => attempt(method, path, body), RETRIES).catch((error) => {
      const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
      throw failure(shown, /^\w{1,40}$/.test(String(code)) ? String(code) : "no response");
    });
    if (response.ok || (response.status === 404 && method !== "PUT")) return response;
    await response.body?.cancel();
    throw failure(shown, String(response.status));
  };
  return {
    shown,
    async put(path, content) {
      await send("PUT", path, Buffer.from(content as Uint8Array<ArrayBuffer>));
    },
    async read(path, maxBytes) {
      const response = await send("GET", path);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > maxBytes) throw failure(shown, "an object is larger than expected");
        chunks.push(chunk);
      }
      return response.ok ? Buffer.concat(chunks) : undefined;
    },
    async remove(path) {
      await (await send("DELETE", path)).body?.cancel();
    },
  };
}

function settingsOf(options: unknown = {}): Settings {
  const names = Object.keys(SETTINGS);
  if (!isObject(options) || Object.keys(options).some((name) => !names.includes(name)))
    throw invalid("cloudOptions", "…", `Give an object with some of ${names.join(", ")}.`);
  const settings = Object.entries(SETTINGS).flatMap(([name, variables]) => {
    const values = [options[name], ...variables.map((variable) => process.env[variable])];
    const found = values.find((value) => value !== undefined && value !== "");
    return found === undefined ? [] : [[name, String(found)]];
  });
  return Object.fromEntries(settings);
}

function bucketUrl(name: string, region: string, settings: Settings): string {
  const isSet = (text = "") => /^(?:true|1|yes)$/i.test(text);
  const { aws_endpoint_url: endpoint, aws_allow_http, aws_virtual_hosted_style_request } = settings;
  const url = parsedUrl(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (url === undefined || url.username !== "" || url.search !== "" || !/^https?:$/.test(url.protocol)) {
    const hint = 'Give an address as aws_endpoint_url, for example "https://minio.example:9000".';
    throw invalid("cloudOptions", "…", hint);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isSet(aws_allow_http))
    throw invalid("cloudOptions", "…", 'Rows would be readable on the way. Use https, or set aws_allow_http: "true".');
  if (endpoint === undefined || isSet(aws_virtual_hosted_style_request)) url.hostname = `${name}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/\/$/, "")}/${name}`;
  return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
}

function failure(shown: string, problem: string): ArchiveError {
  const hint = "Check the bucket, AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";
  return new ArchiveError(`the storage at ${shown} failed: ${problem}.`, { code: "QUEUE_FAILED", hint });
}
