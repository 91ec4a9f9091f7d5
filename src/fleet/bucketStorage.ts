import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import type { AwsClient } from "aws4fetch";
import pRetry from "p-retry";
import { fetch } from "undici";
import type { CorpusStorage } from "../corpus/raw/storage.js";
import { ArchiveError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { ownDispatcher } from "../service/http/dispatcher.js";
import { isLoopback, parsedUrl, proxySettings } from "../service/http/url.js";
import { isObject } from "../util/isObject.js";

/** Where workers put the windows that they have fetched, by relative paths. */
export interface FleetStorage extends Pick<CorpusStorage, "put" | "read" | "remove"> {
  /** For messages. */
  readonly shown: string;
}

/** The settings of an object store, named as those of polars (`save`), and the variables that stand in for them. */
const SETTINGS = {
  aws_access_key_id: ["AWS_ACCESS_KEY_ID"],
  aws_secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
  aws_session_token: ["AWS_SESSION_TOKEN"],
  aws_region: ["AWS_REGION", "AWS_DEFAULT_REGION"],
  aws_endpoint_url: ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
  aws_allow_http: ["AWS_ALLOW_HTTP"],
  aws_virtual_hosted_style_request: ["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"],
} as const;

type Setting = keyof typeof SETTINGS;

/** Milliseconds of an attempt. */
const TIMEOUT = 60_000;
/** Attempts after the first; the waits before them double from a tenth of a second. */
const RETRIES = { retries: 6, minTimeout: 100, randomize: true };
const CONNECTIONS = 32;

/**
 * A bucket of an object store that speaks S3: aws4fetch signs, and the proxies of the environment are used.
 *
 * @param given `s3://bucket/prefix`
 * @param cloudOptions settings of the store; the others are read from the environment
 * @throws ValidationError, which shows no credentials
 */
export function bucketStorage(given: string, cloudOptions: unknown, Client: typeof AwsClient): FleetStorage {
  const [, name = "", path = ""] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w./-]*))?$/.exec(given) ?? [];
  const parts = path.split("/").filter((part) => part !== "");
  if (name === "" || parts.some((part) => /^\.+$/.test(part)))
    throw invalid("storage", "…", "Give a bucket, for example s3://my-bucket/fleet.");
  const shown = ["s3:/", name, ...parts].join("/");
  const settings = settingsOf(cloudOptions);
  const region = settings("aws_region") ?? "us-east-1";
  const base = bucketUrl(name, region, settings);
  const client = new Client({
    accessKeyId: required(settings, "aws_access_key_id"),
    secretAccessKey: required(settings, "aws_secret_access_key"),
    ...(settings("aws_session_token") && { sessionToken: settings("aws_session_token") as string }),
    ...{ region, service: "s3" },
  });
  const { dispatcher } = ownDispatcher({
    ...{ baseUrl: base, concurrency: CONNECTIONS, timeout: TIMEOUT / 1000 },
    proxies: () => proxySettings(process.env),
  });
  const attempt = async (method: string, path: string, body?: Uint8Array<ArrayBuffer>) => {
    const hash = createHash("sha256").update(body ?? "");
    const request = { method, headers: { "x-amz-content-sha256": hash.digest("hex") }, ...(body && { body }) };
    const { url, headers } = await client.sign([base, ...parts, path].join("/"), request);
    const signal = AbortSignal.timeout(TIMEOUT);
    const response = await fetch(url, { ...request, headers: [...headers], redirect: "error", signal, dispatcher });
    if (response.status < 500 && response.status !== 429) return response;
    await response.body?.cancel();
    throw new Error(String(response.status), { cause: { code: String(response.status) } });
  };
  const send = async (method: string, path: string, statuses: readonly number[], body?: Uint8Array<ArrayBuffer>) => {
    // The error of a failed request may contain the signed one.
    const response = await pRetry(() => attempt(method, path, body), RETRIES).catch((error) => {
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

type Settings = (setting: Setting) => string | undefined;

function settingsOf(options: unknown = {}): Settings {
  const names = Object.keys(SETTINGS);
  if (!isObject(options) || Object.keys(options).some((name) => !names.includes(name)))
    throw invalid("cloudOptions", "…", `Give an object with some of ${names.join(", ")}.`);
  return (setting) => {
    const values = [options[setting], ...SETTINGS[setting].map((variable) => process.env[variable] || undefined)];
    const value = values.find((one) => one !== undefined && one !== null);
    return value === undefined ? undefined : String(value);
  };
}

function required(settings: Settings, setting: Setting): string {
  const hint = `${setting} is missing. Set ${SETTINGS[setting][0]}, or give cloudOptions: { ${setting}: "…" }.`;
  const value = settings(setting);
  if (value === undefined) throw invalid("cloudOptions", "…", hint);
  return value;
}

/** The address of a bucket, without a slash at its end. */
function bucketUrl(name: string, region: string, settings: Settings): string {
  const isSet = (setting: Setting) => /^(?:true|1|yes)$/i.test(settings(setting) ?? "");
  const endpoint = settings("aws_endpoint_url");
  const url = parsedUrl(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (url === undefined || url.username !== "" || url.search !== "" || !/^https?:$/.test(url.protocol))
    throw invalid(
      "cloudOptions",
      "…",
      'Give an address as aws_endpoint_url, for example "https://minio.example:9000".',
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isSet("aws_allow_http"))
    throw invalid("cloudOptions", "…", 'Rows would be readable on the way. Use https, or set aws_allow_http: "true".');
  if (endpoint === undefined || isSet("aws_virtual_hosted_style_request")) url.hostname = `${name}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/\/$/, "")}/${name}`;
  return `${url.origin}${url.pathname.replace(/\/$/, "")}`;
}

function failure(shown: string, problem: string): ArchiveError {
  return new ArchiveError(`the storage at ${shown} failed: ${problem}.`, {
    code: "QUEUE_FAILED",
    hint: "Check the bucket, AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  });
}
