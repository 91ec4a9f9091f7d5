import type { Archive } from "./archive.js";
import { HttpError } from "./httpError.js";
import type { Quota } from "./quota.js";
import { route } from "./routes.js";

/** A request, as far as the archive looks at it. */
export interface ArchiveRequest {
  method: string;
  /** Path and query string. */
  target: string;
  /** The header `x-api-key`. */
  key: string | undefined;
}

/** An answer that is ready to send. */
export interface ArchiveResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/** What answers are made from. */
export interface ServerContext {
  archive: Archive;
  apiKey: string;
  quota: Quota | undefined;
}

/** Answers one request: key first, then quota, method, path and parameters. Never throws. */
export function respond(desk: ServerContext, request: ArchiveRequest): ArchiveResponse {
  try {
    admit(desk, request);
    const [path = "", query = ""] = split(request.target);
    const { operation, id } = route(path);
    const body = operation({ archive: desk.archive, parameters: new URLSearchParams(query), id });
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  } catch (error) {
    const fault = error instanceof HttpError ? error : new HttpError(500, "Internal server error");
    return { status: fault.status, headers: fault.headers, body: JSON.stringify({ message: fault.message }) };
  }
}

function admit({ apiKey, quota }: ServerContext, { method, key }: ArchiveRequest): void {
  if (key === undefined || key === "") throw new HttpError(401, "an API key is required in the header x-api-key");
  if (key !== apiKey) throw new HttpError(403, "the API key is not valid");
  const wait = quota?.take() ?? 0;
  if (wait > 0) {
    throw new HttpError(429, `the request quota is used up; wait ${wait} s`, { "retry-after": String(wait) });
  }
  if (method !== "GET") throw new HttpError(405, "only GET is allowed", { allow: "GET" });
}

function split(target: string): [path: string, query: string] {
  const [whole = ""] = target.split("#", 1);
  const mark = whole.indexOf("?");
  return mark < 0 ? [whole, ""] : [whole.slice(0, mark), whole.slice(mark + 1)];
}
