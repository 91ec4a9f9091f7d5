import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { APIError } from "../../src/index.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, transportOf } from "./helpers.js";
import { startProxy } from "./proxyServer.js";
import { startScriptedServer } from "./scriptedServer.js";

function transportWith(baseUrl: string, env: NodeJS.ProcessEnv) {
  const options = { apiKey: "proxy-key-1", baseUrl, allowInsecure: true, maxRetries: 0 };
  const transport = transportOf(options, [new JumpingClock()], env);
  onTestFinished(() => transport.close());
  return transport;
}

describe("proxies of the environment", () => {
  test.each(["HTTP_PROXY", "http_proxy"])("%s is used, and never sees the key", async (name) => {
    await using server = await startScriptedServer(() => ({ body: "[]" }));
    await using proxy = await startProxy(server.port);
    const transport = transportWith("http://archive.test/2.0", { [name]: `http://user:word@${proxy.address}` });
    expect((await transport.request("/bills", [])).status).toBe(200);
    expect(proxy.tunnels).toEqual(["archive.test:80"]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from("user:word").toString("base64")}`]);
    expect(proxy.keys).toEqual([undefined]);
    expect(server.requests[0]).toMatchObject({
      url: "/2.0/bills",
      headers: { host: "archive.test", "x-api-key": "proxy-key-1" },
    });
    await transport.close();
    await server.quiet(0);
  });

  test("HTTPS_PROXY gets a CONNECT request for the service", async () => {
    await using proxy = await startProxy(0, 502);
    const transport = transportWith("https://archive.test/2.0", { HTTPS_PROXY: proxy.address });
    await errorOf(transport.request("/bills", []), APIError);
    expect(proxy.tunnels).toEqual(["archive.test:443"]);
  });

  test("NO_PROXY is honoured", async () => {
    await using proxy = await startProxy(0, 502);
    const env = { HTTP_PROXY: proxy.address, NO_PROXY: "other.test,.invalid" };
    const transport = transportWith("http://archive.invalid", env);
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.message).toContain("the host name cannot be resolved");
    expect(proxy.tunnels).toEqual([]);
  });

  test("loopback addresses never go through a proxy", async () => {
    await using server = await startScriptedServer(() => ({ body: "[]" }));
    await using proxy = await startProxy(server.port);
    const transport = transportWith(server.baseUrl, { HTTP_PROXY: proxy.address });
    expect((await transport.request("/bills", [])).status).toBe(200);
    expect(proxy.tunnels).toEqual([]);
  });

  test("a proxy that refuses causes a typed error without its password", async () => {
    await using proxy = await startProxy(0, 407);
    const transport = transportWith("http://archive.test", { HTTP_PROXY: `http://user:pass-word@${proxy.address}` });
    const error = await errorOf(transport.request("/bills", []), APIError);
    expect(error.code).toBe("CONNECTION_FAILED");
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("pass-word");
  });
});
