import { invalid } from "../errors/validators.js";
import { isLoopback, parsedUrl } from "../service/http/url.js";
import { isObject } from "../util/isObject.js";

/** A bucket of an object store, and the prefix of what is stored there. */
export interface Bucket {
  /** The address of the bucket, with a slash at the end. */
  readonly base: string;
  /** The beginning of all names: "" or "fleet/". */
  readonly prefix: string;
  /** A function, so that nothing prints them. */
  readonly credentials: () => {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
    readonly region: string;
  };
  /** The address for messages: "s3://bucket/fleet". */
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

const EXAMPLE = "s3://my-bucket/fleet";

/**
 * Reads the address of a bucket and its settings.
 *
 * @param given `s3://bucket/prefix`
 * @param options settings of the store; the others are read from the environment
 * @throws ValidationError, which shows no credentials
 * @example
 * bucketOf("s3://study/fleet", { aws_region: "eu-west-1" }).base; //=> "https://study.s3.eu-west-1.amazonaws.com/"
 */
export function bucketOf(given: string, options: unknown = {}, env: NodeJS.ProcessEnv = process.env): Bucket {
  const [, name, path = ""] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w./-]*))?$/.exec(given) ?? [];
  if (name === undefined || path.split("/").some((part) => /^\.+$/.test(part)))
    throw invalid("storage", "…", `Give a bucket, for example ${EXAMPLE}.`);
  const settings = settingsOf(options, env);
  const required = (setting: Setting) => {
    const value = settings(setting);
    if (value !== undefined) return value;
    const [variable] = SETTINGS[setting];
    throw invalid(
      "cloudOptions",
      "…",
      `${setting} is missing. Set ${variable}, or give cloudOptions: { ${setting}: "…" }.`,
    );
  };
  const region = settings("aws_region") ?? "us-east-1";
  const endpoint = settings("aws_endpoint_url");
  const token = settings("aws_session_token");
  const isVirtual = isTrue(settings("aws_virtual_hosted_style_request")) || endpoint === undefined;
  const url = endpointUrl(endpoint ?? `https://s3.${region}.amazonaws.com`, isTrue(settings("aws_allow_http")));
  if (isVirtual) url.hostname = `${name}.${url.hostname}`;
  else url.pathname = `${url.pathname.replace(/\/$/, "")}/${name}`;
  const trimmed = path
    .split("/")
    .filter((part) => part !== "")
    .join("/");
  const credentials = {
    accessKeyId: required("aws_access_key_id"),
    secretAccessKey: required("aws_secret_access_key"),
    ...(token !== undefined && { sessionToken: token }),
    region,
  };
  return {
    base: `${url.origin}${url.pathname.replace(/\/$/, "")}/`,
    prefix: trimmed === "" ? "" : `${trimmed}/`,
    credentials: () => credentials,
    shown: `s3://${name}${trimmed === "" ? "" : `/${trimmed}`}`,
  };
}

function settingsOf(options: unknown, env: NodeJS.ProcessEnv): (setting: Setting) => string | undefined {
  const names = Object.keys(SETTINGS);
  if (!isObject(options))
    throw invalid("cloudOptions", "…", 'Give an object, for example { aws_region: "eu-west-1" }.');
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid("cloudOptions", "…", `The settings of a storage are ${names.join(", ")}.`);
  return (setting) => {
    const value = (options as Readonly<Record<string, unknown>>)[setting];
    return value === undefined || value === null
      ? SETTINGS[setting].map((variable) => env[variable]).find((text) => text !== undefined && text !== "")
      : String(value);
  };
}

function endpointUrl(text: string, allowHttp: boolean): URL {
  const url = parsedUrl(text);
  const hint = 'Give an address as aws_endpoint_url, for example "https://minio.example:9000".';
  if (url === undefined || url.username !== "" || url.search !== "") throw invalid("cloudOptions", "…", hint);
  const isSafe = allowHttp || isLoopback(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isSafe)) return url;
  throw invalid("cloudOptions", "…", 'Rows would be readable on the way. Use https, or set aws_allow_http: "true".');
}

function isTrue(text: string | undefined): boolean {
  return text !== undefined && /^(?:true|1|yes)$/i.test(text);
}
