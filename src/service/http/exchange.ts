import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { copyCause } from "../../errors/causes.js";
import { ArchiveError, type ErrorResponse } from "../../errors/index.js";
import { CallSignal, untilAborted } from "../../util/callSignal.js";
import { quoted } from "../../util/text.js";
import { VERSION } from "../../util/version.js";
import { CHECK_NETWORK, FailedAttempt, failedConnection, TRY_AGAIN } from "./failedAttempt.js";
import { errorResponse } from "./failedResponse.js";
import type { ResolvedOptions } from "./options.js";

/** A response of any status. It may contain the key. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case, several values joined. */
  readonly headers: Record<string, string>;
  /** Decompressed; empty if that of an error cannot be read. */
  readonly body: Buffer;
}

const HEADERS = {
  accept: "application/json",
  "accept-encoding": "gzip",
  "user-agent": `archive-frames/${VERSION}`,
};

const unzip = promisify(gunzip);

/** Sends one request. @throws FailedAttempt without a complete response within the limits; the reason of the signal */
export async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  signal: AbortSignal,
  { key, timeout, maxBodyBytes }: Pick<ResolvedOptions, "key" | "timeout" | "maxBodyBytes">,
): Promise<RawResponse> {
  const headers: Record<string, string> = {};
  let status = 0;
  const stop = new CallSignal([signal]);
  const timer = setTimeout(() => stop.abort(timeoutFailure(timeout, status > 0)), timeout * 1000);
  try {
    // undici has no timeouts here: that of the attempt covers all phases.
    const request = dispatcher.request({
      method: "GET",
      origin: url.origin,
      path: url.pathname + url.search,
      headers: { ...HEADERS, "x-api-key": key.reveal() },
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: stop.signal,
    });
    // undici does not notice an abort while it connects.
    const response = await untilAborted(request, stop.signal);
    status = response.statusCode;
    for (const [name, value = ""] of Object.entries(response.headers))
      headers[name.toLowerCase()] = [value].flat().join(", ");
    const body = receive(response.body, headers, maxBodyBytes);
    // An error is reported by its status, even if its body is lost.
    const isError = status < 200 || status >= 300;
    return { status, headers, body: await (isError ? body.catch(() => Buffer.alloc(0)) : body) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // The session of a fleet throws errors that are meant for the user.
    if (error instanceof ArchiveError) throw error;
    const failure: unknown = stop.signal.aborted ? stop.signal.reason : error;
    if (status === 0) throw failure instanceof FailedAttempt ? failure : failedConnection(failure, key.redact);
    throw bodyFailure(failure, errorResponse(status, headers, "", key), key.redact);
  } finally {
    clearTimeout(timer);
    stop.release();
  }
}

async function receive(body: AsyncIterable<Buffer>, headers: RawResponse["headers"], limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > limit) throw tooLargeFailure(limit);
  }
  const text = await decompress(Buffer.concat(chunks, size), headers["content-encoding"]?.trim(), limit);
  const isOtherCharset = /;\s*charset\s*=\s*"?(?!utf-?8)/i.test(headers["content-type"] ?? "");
  // Servers often declare another charset and send UTF-8. JSON has no NUL, which UTF-16 has.
  if (!isOtherCharset || (isUtf8(text) && !text.includes(0))) return text;
  throw decodingFailure("it is not in UTF-8");
}

async function decompress(body: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  if (!encoding || /^identity$/i.test(encoding)) return body;
  if (!/^(?:x-)?gzip$/i.test(encoding)) throw decodingFailure(`content encoding ${quoted(encoding)}`);
  try {
    return await unzip(body, { maxOutputLength: limit });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLargeFailure(limit);
    throw code === "Z_BUF_ERROR" ? error : decodingFailure("the compressed body is damaged", error);
  }
}

function decodingFailure(problem: string, cause?: unknown): FailedAttempt {
  return new FailedAttempt("UNEXPECTED_BODY", `the response cannot be decoded: ${problem}`, CHECK_NETWORK, { cause });
}

function tooLargeFailure(limit: number): FailedAttempt {
  const hint = "Request less at a time, for example with a smaller limit, or raise maxBodyBytes.";
  return new FailedAttempt("BODY_TOO_LARGE", `the response is larger than ${limit} bytes`, hint);
}

function timeoutFailure(seconds: number, hasHeaders: boolean): FailedAttempt {
  const problem = `${hasHeaders ? "no complete response" : "no response"} within ${seconds} s`;
  return new FailedAttempt("TIMEOUT", problem, "Raise the timeout option, or try again.");
}

/** The failure of an attempt after its headers arrived. */
function bodyFailure(error: unknown, response: ErrorResponse, redact: (text: string) => string): FailedAttempt {
  if (!(error instanceof FailedAttempt)) {
    const details = { response, cause: copyCause(error, redact) };
    return new FailedAttempt("BODY_TRUNCATED", "the response is truncated", TRY_AGAIN, details);
  }
  const { code, message, hint, details } = error;
  return new FailedAttempt(code, redact(message), hint, { response, cause: copyCause(details.cause, redact) });
}
