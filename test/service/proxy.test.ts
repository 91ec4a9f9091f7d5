import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { APIError, ArchiveError, openArchive, ValidationError } from "../../src/index.js";
import { newDirectory } from "../responses/recording.js";
import { JumpingClock } from "./clocks.js";
import { errorOf, transportOf } from "./helpers.js";
import { startProxy } from "./proxyServer.js";
import { startScriptedServer } from "./scriptedServer.js";

function transportWith(baseUrl: string, env: NodeJS.ProcessEnv, maxRetries = 0) {
  const options = { apiKey: "proxy-key-1", baseUrl, allowInsecure: true, maxRetries };
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

  test("loopback addresses never go through a proxy", async () => {
    await using server = await startScriptedServer(() => ({ body: "[]" }));
    await using proxy = await startProxy(server.port);
    const transport = transportWith(server.baseUrl, { HTTP_PROXY: proxy.address });
    expect((await transport.request("/bills", [])).status).toBe(200);
    expect(proxy.tunnels).toEqual([]);
  });

  test.each([
    ["wants a password", 407, 1],
    ["forbids the host", 403, 1],
    ["is overloaded", 503, 3],
  ])("a proxy that %s (%d) is blamed, in %d requests, without its password", async (_, status, requests) => {
    await using proxy = await startProxy(0, status);
    const env = { HTTP_PROXY: `http://user:pass-word@${proxy.address}` };
    const error = await errorOf(transportWith("http://archive.test", env, 2).request("/bills", []), APIError);
    expect(error).toMatchObject({ code: "CONNECTION_FAILED", hint: expect.stringContaining("Check HTTPS_PROXY") });
    expect(error.message).toContain(`the proxy refused the connection with status ${status}`);
    expect(proxy.tunnels).toHaveLength(requests);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain("pass-word");
  });

  test("a proxy that is down is blamed, not the service", async () => {
    const proxy = await startProxy(0);
    await proxy[Symbol.asyncDispose]();
    for (const HTTP_PROXY of [proxy.address, "http://proxy.invalid:8080"]) {
      const error = await errorOf(transportWith("http://archive.test", { HTTP_PROXY }).request("/bills", []), APIError);
      expect(error).toMatchObject({ code: "CONNECTION_FAILED", hint: expect.stringContaining("Check HTTPS_PROXY") });
      expect(error.message).toMatch(/failed: no connection to the proxy: (connection refused|the host name cannot)/);
    }
  });

  test("the setting is chosen by the scheme, in lower case first, and checked where it is used", async () => {
    await using proxy = await startProxy(0, 502);
    const failureOf = (baseUrl: string, env: NodeJS.ProcessEnv) =>
      errorOf(transportWith(baseUrl, { http_proxy: proxy.address, ...env }).request("/bills", []), ArchiveError);
    await failureOf("http://a.test", { HTTP_PROXY: "socks5h://unused:1" });
    await failureOf("https://a.test", { HTTPS_PROXY: " " });
    expect(proxy.tunnels).toEqual(["a.test:80", "a.test:443"]);
    for (const NO_PROXY of ["*", "x, .invalid", "a.invalid:443"])
      expect((await failureOf("https://a.invalid", { NO_PROXY })).message).toContain("host name cannot be resolved");
    const error = await failureOf("https://a.test", { HTTPS_PROXY: "socks5h://user:proxy-word@127.0.0.1:1080" });
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ parameter: "HTTPS_PROXY" });
    expect(error.message).not.toContain("proxy-word");
    expect(proxy.tunnels).toHaveLength(2);
  });

  test("one that cannot be used does not matter to the embedded archive, nor to a replay", async () => {
    vi.stubEnv("HTTP_PROXY", "socks5h://127.0.0.1:1080");
    onTestFinished(() => void vi.unstubAllEnvs());
    const dir = newDirectory();
    for (const mode of ["record", "replay"] as const) {
      await using archive = await openArchive({ embedded: {}, progress: false, snapshot: { dir, mode } });
      expect((await archive.bills("infrastructure")).height).toBeGreaterThan(0);
    }
  });
});
