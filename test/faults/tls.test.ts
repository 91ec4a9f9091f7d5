import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { APIError } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { temporaryFolder } from "../files/temporary.js";
import { errorOf } from "../service/helpers.js";

const folder = temporaryFolder();
const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });

/** Creates a certificate signed by `issuer`, or self-signed without one. */
function certificate(name: string, hosts: string, { issuer = "" } = {}) {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.key`];
  const from = issuer === "" ? [] : ["-CA", `${issuer}.crt`, "-CAkey", `${issuer}.key`];
  const authority =
    hosts === "" ? ["-addext", "basicConstraints=critical,CA:TRUE"] : ["-addext", `subjectAltName=${hosts}`];
  openssl("req", "-x509", ...key, "-subj", `/CN=${name}`, "-out", `${name}.crt`, ...authority, ...from, "-days", "2");
  return { key: readFileSync(join(folder, `${name}.key`)), cert: readFileSync(join(folder, `${name}.crt`)) };
}

const authority = certificate("authority", "");
const here = "IP:127.0.0.1,DNS:localhost";
async function startTls(options: object) {
  const keys: unknown[] = [];
  const server = createServer(options, (request, response) => {
    keys.push(request.headers["x-api-key"]);
    response.end('{"bills":[{"id":1}],"cursor":"c"}');
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const trustingAgent = () => new Agent({ connect: { ca: authority.cert } });

describe("a certificate", () => {
  const cases: Array<[string, () => object, boolean, string, RegExp]> = [
    [
      "of another host",
      () => certificate("other", "DNS:archive.example", { issuer: "authority" }),
      true,
      "ERR_TLS_CERT_ALTNAME_INVALID",
      /not trusted/,
    ],
    ["that is self-signed", () => certificate("self", here), false, "DEPTH_ZERO_SELF_SIGNED_CERT", /not trusted/],
    [
      "of an unknown authority",
      () => certificate("unknown", here, { issuer: "authority" }),
      false,
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      /not trusted/,
    ],
    ["that has expired", () => expired(), true, "CERT_HAS_EXPIRED", /not trusted/],
  ];
  it.each(cases)("%s is rejected without a retry, and no key is sent", async (_name, make, trusts, cause, says) => {
    await using server = await startTls(make());
    const session = trusts ? trustingAgent() : undefined;
    await using archive = clientTo(server, session && { session });
    const error = await errorOf(archive.bills("x"), APIError);
    expect(error).toMatchObject({ code: "CONNECTION_FAILED", cause: { code: cause } });
    expect(error.message).toContain(cause);
    expect(error.message).toMatch(says);
    expect(error.message).toMatch(/NODE_EXTRA_CA_CERTS|clock|baseUrl/);
    expect(server.keys).toEqual([]);
    // A retry would fail the same way.
    expect(server.connections()).toBe(1);
    await session?.close();
  });

  it("that is valid is accepted", async () => {
    await using server = await startTls(certificate("right", here, { issuer: "authority" }));
    const session = trustingAgent();
    await using archive = clientTo(server, { session });
    expect((await archive.bills("x")).height).toBe(1);
    expect(server.keys).toHaveLength(1);
    await session.close();
  });
});

/** An expired certificate. Before OpenSSL 3.4, only `ca` can create one. */
function expired(): object {
  const config = `[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index\nserial=serial\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=${here}\n`;
  writeFileSync(join(folder, "ca.cnf"), config);
  writeFileSync(join(folder, "index"), "");
  writeFileSync(join(folder, "serial"), "01\n");
  const run = (command: string) => openssl(...command.split(" "));
  run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout old.key -subj /CN=old -out old.csr");
  run(
    "ca -batch -config ca.cnf -cert authority.crt -keyfile authority.key -in old.csr -out old.crt -notext " +
      "-startdate 20200101000000Z -enddate 20200201000000Z",
  );
  return { key: readFileSync(join(folder, "old.key")), cert: readFileSync(join(folder, "old.crt")) };
}
