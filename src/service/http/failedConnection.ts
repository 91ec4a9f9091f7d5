import { copyCause } from "../../errors/causes.js";
import { FailedAttempt } from "./failedAttempt.js";
import { CHECK_NETWORK, CHECK_PROXY, TRY_AGAIN, URL_OPTION } from "./hints.js";

/** A failure to connect to a proxy. */
export class ProxyFailure extends Error {}

const CHECK_SESSION = "Pass an open dispatcher of undici 7 as session, or none.";
const CHECK_CERTIFICATE = `Check ${URL_OPTION} and the clock of this machine. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`;

type Meaning = readonly [pattern: RegExp, problem: string, hint: string, isFinal?: "final"];

/** The most frequent codes of failed connections, with problem and hint. The first match counts. The final ones would repeat. */
const MEANINGS: readonly Meaning[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved", CHECK_NETWORK],
  [/^ECONNREFUSED$/, "connection refused", `Check ${URL_OPTION}, and that the service is running.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection lost", TRY_AGAIN],
  [/^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$/, "its session is closed or of another undici", CHECK_SESSION, "final"],
  [/CERT|ALTNAME|^UNABLE_TO_|^INVALID_/, "the certificate is not trusted", CHECK_CERTIFICATE, "final"],
  [/^(HPE_|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)/, "the response is not valid HTTP", CHECK_NETWORK],
  [/^/, "no connection", CHECK_NETWORK],
];

/** The failure of an attempt without a response. */
export function failedConnection(error: unknown, redact: (text: string) => string): FailedAttempt {
  const isProxy = error instanceof ProxyFailure;
  const reason = isProxy ? error.cause : error;
  const cause = copyCause(reason, redact);
  const { code = "", name = "", message = "" } = (reason ?? {}) as Partial<NodeJS.ErrnoException>;
  // So undici reports what a proxy answers.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  if (status !== undefined) {
    const problem = `the proxy refused the connection with status ${status}`;
    return new FailedAttempt("CONNECTION_FAILED", problem, CHECK_PROXY, { cause, isFinal: status.startsWith("4") });
  }
  const [, meaning, hint, final] = MEANINGS.find(([pattern]) => pattern.test(code || name)) as Meaning;
  const shown = /^[A-Z0-9_]{2,60}$/.test(code) ? `${meaning} (${redact(code)})` : meaning;
  const [problem, remedy] = isProxy ? [`no connection to the proxy: ${shown}`, CHECK_PROXY] : [shown, hint];
  return new FailedAttempt("CONNECTION_FAILED", problem, remedy, { cause, isFinal: final !== undefined });
}
