import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ArchiveClient, openArchive, pl, ValidationError } from "../../src/index.js";
import { KEY } from "../service/helpers.js";
import { startScriptedServer } from "../service/scriptedServer.js";
import { served } from "./clientTo.js";

describe("the client", () => {
  it("shows no key", async () => {
    const { server, archive } = await served(() => ({ body: { bills: [] } }));
    for (const text of [inspect(archive, { depth: 9, showHidden: true }), JSON.stringify(archive), String(archive)])
      expect(text).not.toContain(KEY.slice(0, 10));
    expect(inspect(archive)).toBe(
      `ArchiveClient { baseUrl: '${server.baseUrl}', outputFormat: 'dataframe', engine: 'polars' }`,
    );
  });

  it("rejects unknown and invalid options", () => {
    const make = (options: object) => () => new ArchiveClient({ apiKey: KEY, ...options });
    expect(make({ max_retries: 1 })).toThrow(/Did you mean maxRetries\?/);
    expect(make({ output_format: "csv" })).toThrow(/Did you mean outputFormat\?/);
    expect(make({ outputFormat: "frame" })).toThrow(/invalid outputFormat: "frame"/);
    expect(make({ engine: "pandas" })).toThrow(ValidationError);
    expect(make({ pageSize: 0 })).toThrow(/invalid pageSize: 0/);
    expect(make({ baseUrl: "http://example.org/2.0" })).toThrow(/allowInsecure/);
  });
});

describe("pl", () => {
  it("is nodejs-polars itself", async () => {
    expect(pl).toBe((await import("nodejs-polars")).default);
    const frame: pl.DataFrame = pl.DataFrame({ a: [1] });
    expect(frame.height).toBe(1);
  });
});

describe("openArchive", () => {
  it("opens the embedded archive without a key", async () => {
    await using archive = await openArchive({ announce: false });
    const bills = await archive.bills("infrastructure");
    expect(bills.height).toBeGreaterThan(0);
    expect(archive.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/2\.0$/);
  });

  it("opens the live service with a key, and validates the options in both cases", async () => {
    await using server = await startScriptedServer(() => ({ body: { bills: [] } }));
    await using archive = await openArchive({ announce: false, apiKey: KEY, baseUrl: server.baseUrl });
    expect(archive.baseUrl).toBe(server.baseUrl);
    await expect(openArchive({ announce: false, timeout: -1 })).rejects.toThrow(ValidationError);
    const text = openArchive("secret-key" as never);
    await expect(text).rejects.toThrow('invalid options: not an object. Give an object, for example { apiKey: "…" }.');
  });
});
