import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Agent } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { APIError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";

const folder = temporaryFolder();
const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
const NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split(" ");
const HERE = "subjectAltName=IP:127.0.0.1,DNS:localhost";

/** Creates a certificate with an extension, signed by the authority or by itself. */
function certificate(name: string, extension: string, isSigned = true) {
  const issuer = isSigned ? ["-CA", "authority.crt", "-CAkey", "authority.key"] : [];
  const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`, "-subj", `/CN=${name}`];
  openssl("req", "-x509", ...NEW_KEY, ...files, "-addext", extension, ...issuer, "-days", "2");
  return { key: readFileSync(join(folder, `${name}.key`)), cert: readFileSync(join(folder, `${name}.crt`)) };
}

const authority = certificate("authority", "basicConstraints=critical,CA:TRUE", false);

/** A service with a certificate, a client that may trust the authority, and the keys and connections that came. */
async function served(options: object, trusts: boolean) {
  const seen = { keys: [] as unknown[], connections: 0 };
  const server = createServer(options, (request, response) => {
    seen.keys.push(request.headers["x-api-key"]);
    response.end('{"bills":[{"id":1}],"cursor":"c"}');
  }).on("connection", () => (seen.connections += 1));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const session = trusts ? new Agent({ connect: { ca: authority.cert } }) : undefined;
  const archive = clientTo({ baseUrl }, session && { session });
  onTestFinished(async () => {
    await archive.close();
    await session?.close();
    server.close();
  });
  return { archive, seen };
}

it.each([
  ["of another host", () => certificate("other", "subjectAltName=DNS:a.example"), true, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["that is self-signed", () => certificate("self", HERE, false), false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["of an unknown authority", () => certificate("unknown", HERE), false, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
])("a certificate %s is rejected without a retry, and no key is sent", async (_name, make, trusts, cause) => {
  const { archive, seen } = await served(make(), trusts);
  const error = await errorOf(archive.bills("x"), APIError);
  expect(error).toMatchObject({ code: "CONNECTION_FAILED", cause: { code: cause } });
  expect(error.message).toContain(cause);
  expect(error.message).toMatch(/not trusted.*(NODE_EXTRA_CA_CERTS|clock|baseUrl)/s);
  // A retry would fail the same way.
  expect(seen).toEqual({ keys: [], connections: 1 });
});

it("a valid certificate is accepted", async () => {
  const { archive, seen } = await served(certificate("right", HERE), true);
  expect((await archive.bills("x")).height).toBe(1);
  expect(seen.keys).toHaveLength(1);
});
