import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** An object store on loopback that speaks as much S3 as a storage needs, and checks every signature. */
export interface S3Server extends AsyncDisposable {
  /** Settings of a storage there. */
  readonly cloudOptions: Readonly<Record<string, string>>;
  /** Its objects: bodies by bucket and name. */
  readonly objects: Map<string, Buffer>;
  /** Fails the next requests with this status. */
  failing: number[];
}

const ACCESS = "AKIAEXAMPLE";
const SECRET = "secret/access+key";
const REGION = "eu-west-1";

/** Starts a server with one bucket. */
export async function startS3(bucket: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server: { failing: number[] } = { failing: [] };
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "", "http://x");
    const answer = (status: number, content: string | Buffer = "") => response.writeHead(status).end(content);
    const failing = server.failing.shift();
    if (failing !== undefined) return answer(failing, "<Error><Code>SlowDown</Code></Error>");
    if (!isSigned(request, url, body)) return answer(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>");
    const [, name, path = ""] = /^\/([^/]+)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
    if (name !== bucket) return answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
    if (request.method === "PUT") objects.set(path, body);
    else if (request.method === "DELETE") return answer(objects.delete(path) ? 204 : 404);
    else {
      const found = objects.get(path);
      return found === undefined ? answer(404, "<Error><Code>NoSuchKey</Code></Error>") : answer(200, found);
    }
    return answer(200);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(server, {
    objects,
    cloudOptions: {
      aws_access_key_id: ACCESS,
      aws_secret_access_key: SECRET,
      aws_region: REGION,
      aws_endpoint_url: `http://127.0.0.1:${port}`,
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

/** AWS Signature Version 4, as its documentation describes it: the oracle of our requests. */
function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const { authorization = "" } = request.headers;
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([\da-f]{64})$/.exec(
    authorization,
  );
  if (parts === null) return false;
  const [, credential = "", signedHeaders = "", signature] = parts;
  const [access, day = "", region = "", service = "", end] = credential.split("/");
  const content = String(request.headers["x-amz-content-sha256"]);
  if (access !== ACCESS || region !== REGION || service !== "s3" || end !== "aws4_request") return false;
  if (content !== sha256(body) || !signedHeaders.split(";").includes("x-amz-content-sha256")) return false;
  const headers = signedHeaders.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const query = [...url.searchParams].map(([name, value]) => `${uri(name)}=${uri(value)}`).sort();
  const path = url.pathname.split("/").map((part) => uri(decodeURIComponent(part)));
  const canonical = [request.method, path.join("/"), query.join("&"), headers.join(""), signedHeaders, content].join(
    "\n",
  );
  const time = String(request.headers["x-amz-date"]);
  const text = ["AWS4-HMAC-SHA256", time, `${day}/${region}/${service}/${end}`, sha256(Buffer.from(canonical))].join(
    "\n",
  );
  const key = [day, region, service, "aws4_request"].reduce<Buffer>(hmac, Buffer.from(`AWS4${SECRET}`));
  return hmac(key, text).toString("hex") === signature;
}

const uri = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();
