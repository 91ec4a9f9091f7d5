import type { ErrorCode } from "../../../../src/index.js";
import { type Fault, type Strike, send } from "./fault.js";

const complaint = ({ key }: Strike) => JSON.stringify({ message: `no: ${key}`, also: encodeURIComponent(key) });

const status = (code: number, error: ErrorCode, passes = false): Fault => ({
  family: code === 429 ? "429" : code >= 500 ? "500 to 504" : "400 to 422",
  name: String(code),
  code: error,
  passes,
  act: (strike) => send(strike, complaint(strike), code, { "x-echo": encodeURIComponent(strike.key) }),
});

const throttled = (name: string, retryAfter: (strike: Strike) => string, passes = true): Fault => ({
  family: "429",
  name: `429, Retry-After ${name}`,
  code: "RATE_LIMITED",
  passes,
  act: (strike) => send(strike, complaint(strike), 429, { "retry-after": retryAfter(strike) }),
});

const redirect = (code: number, name: string, error: ErrorCode | undefined, to: (strike: Strike) => string): Fault => ({
  family: "redirect",
  name: `${code} ${name}`,
  ...(error !== undefined && { code: error }),
  act: (strike) => {
    if (strike.request.url?.includes("hop=1")) send(strike, strike.body);
    else send(strike, "moved", code, { location: to(strike) });
  },
});

const here = ({ request }: Strike) => `${request.url}${request.url?.includes("?") ? "&" : "?"}hop=1`;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString();

/** Refusals and redirects. */
export const answerFaults: readonly Fault[] = [
  redirect(301, "to the same origin", undefined, here),
  redirect(302, "to the same origin", undefined, here),
  redirect(
    307,
    "to the same origin, absolute",
    undefined,
    (strike) => `http://${strike.request.headers.host}${here(strike)}`,
  ),
  redirect(308, "to the same origin", undefined, here),
  redirect(301, "to another origin", "REDIRECT_REFUSED", ({ elsewhere }) => `${elsewhere}/bills`),
  redirect(
    302,
    "to another origin, with the key",
    "REDIRECT_REFUSED",
    ({ elsewhere, key }) => `${elsewhere}/?key=${encodeURIComponent(key)}`,
  ),
  redirect(307, "to another origin, by its host alone", "REDIRECT_REFUSED", ({ elsewhere }) =>
    elsewhere.replace("http:", ""),
  ),
  redirect(
    302,
    "to another host name of this machine",
    "REDIRECT_REFUSED",
    ({ request }) => `http://localhost:${request.socket.localPort}${request.url}`,
  ),
  redirect(302, "to another scheme", "REDIRECT_REFUSED", () => "file:///etc/passwd"),
  redirect(302, "to no address", "REDIRECT_REFUSED", ({ key }) => `http://[${encodeURIComponent(key)}`),
  redirect(302, "in circles", "REDIRECT_REFUSED", ({ request }) => String(request.url)),
  {
    family: "redirect",
    name: "303 without a location",
    code: "REDIRECT_REFUSED",
    act: (strike) => send(strike, "moved", 303),
  },
  { family: "redirect", name: "304", code: "HTTP_ERROR", act: ({ response }) => response.writeHead(304).end() },

  status(400, "HTTP_ERROR"),
  status(401, "AUTHENTICATION"),
  status(403, "AUTHENTICATION"),
  status(404, "NOT_FOUND"),
  status(408, "HTTP_ERROR"),
  status(409, "HTTP_ERROR"),
  status(413, "HTTP_ERROR"),
  status(422, "HTTP_ERROR"),

  status(429, "RATE_LIMITED", true),
  throttled("in seconds", () => "1"),
  throttled("of zero", () => "0"),
  throttled("as a date", () => new Date(Math.ceil(Date.now() / 1000) * 1000).toUTCString()),
  throttled("as a past date", () => inHours(-1)),
  throttled("as an obsolete date", () => "Sunday, 06-Nov-94 08:49:37 GMT"),
  throttled("negative", () => "-5"),
  throttled("with the key as text", ({ key }) => encodeURIComponent(key)),
  throttled("empty", () => ""),
  throttled("enormous", () => "9".repeat(40), false),
  throttled("as a distant date", () => inHours(48), false),

  status(500, "SERVER_ERROR", true),
  status(501, "SERVER_ERROR", true),
  status(502, "SERVER_ERROR", true),
  status(503, "SERVER_ERROR", true),
  status(504, "SERVER_ERROR", true),
  {
    family: "500 to 504",
    name: "503 with a page of HTML and a Retry-After",
    code: "SERVER_ERROR",
    passes: true,
    act: (strike) => send(strike, `<h1>${strike.key}</h1>`, 503, { "retry-after": "0", "content-type": "text/html" }),
  },
  {
    family: "500 to 504",
    name: "500 with a body that never ends",
    code: "SERVER_ERROR",
    passes: true,
    act: ({ response, key }) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write(key.repeat(1000)));
      };
      response.on("drain", more);
      more();
    },
  },
];
