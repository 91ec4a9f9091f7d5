import { createHash } from "node:crypto";
import { parsedUrl } from "../service/http/url.js";
import { isObject } from "../util/isObject.js";

/** What a job says: which page to request. */
export interface PageJob {
  /** Path and query below the base URL: `/mentions?query=budget&limit=100`. */
  readonly get: string;
}

/**
 * Path and query of a request below the base URL; undefined if it leads out of the service.
 *
 * @param path path and query as sent
 * @example
 * pageOf("/2.0/bills?query=roads", "https://archive.example/2.0"); //=> "/bills?query=roads"
 */
export function pageOf(path: string, baseUrl: string): string | undefined {
  const base = new URL(baseUrl).pathname.replace(/\/$/, "");
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

/** Longer than any request of ours. */
const MAX_LENGTH = 16_000;

/** The id of the job of a request. The same request has the same job, so nothing is asked twice. */
export function jobId(get: string): string {
  return `page-${createHash("sha256").update(get).digest("hex").slice(0, 32)}`;
}

/**
 * The URL that a job asks for; undefined unless it is below the base URL. Whoever can write to Redis can add any job.
 *
 * @param data what Redis contains
 */
export function jobUrl(data: unknown, baseUrl: string): URL | undefined {
  if (!isObject(data)) return undefined;
  const { get } = data as Partial<PageJob>;
  if (typeof get !== "string" || get.length > MAX_LENGTH || !/^\/[\x21-\x7e]*$/.test(get)) return undefined;
  const base = new URL(baseUrl);
  const url = parsedUrl(baseUrl + get);
  if (url === undefined || url.origin !== base.origin || url.username !== "" || url.hash !== "") return undefined;
  const path = get.split("?", 1)[0] as string;
  // Dot segments, encoded ones too, would leave the base URL; backslashes count as slashes.
  if (/\\|\/\/|\/(?:\.|%2e){1,2}(?:\/|$)|%2f|%5c/i.test(path)) return undefined;
  return url.pathname.startsWith(`${base.pathname.replace(/\/$/, "")}/`) ? url : undefined;
}
