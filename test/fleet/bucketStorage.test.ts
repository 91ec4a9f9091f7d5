import { afterEach, expect, it, vi } from "vitest";
import { openStorage } from "../../src/fleet/storage.js";
import { startProxy } from "../service/proxyServer.js";
import { startS3 } from "./s3Server.js";

afterEach(() => vi.unstubAllEnvs());

it("reaches a bucket through the proxy of the environment, and this machine without", async () => {
  await using s3 = await startS3("study");
  const { port } = new URL(s3.cloudOptions.aws_endpoint_url as string);
  await using proxy = await startProxy(Number(port));
  vi.stubEnv("HTTP_PROXY", `http://${proxy.address}`);
  vi.stubEnv("NO_PROXY", "");
  const far = { ...s3.cloudOptions, aws_endpoint_url: "http://store.test", aws_allow_http: "true" };
  s3.failing = [503];
  await (await openStorage("s3://study/fleet", far)).put("raw/a", Buffer.from("rows"));
  expect(s3.objects.get("fleet/raw/a")?.toString()).toBe("rows");
  expect(proxy.tunnels[0]).toBe("store.test:80");
  const tunnels = proxy.tunnels.length;
  const near = await openStorage("s3://study/fleet", s3.cloudOptions);
  expect((await near.read("raw/a", 100))?.toString()).toBe("rows");
  expect(await near.read("raw/b", 100)).toBeUndefined();
  expect(proxy.tunnels).toHaveLength(tunnels);
});
