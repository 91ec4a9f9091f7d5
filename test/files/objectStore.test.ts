import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { writeFrames } from "../../src/files/sinkFrames.js";
import { ArchiveError, type FormatOptions, type PolarsFrame, pl, saveFrame } from "../../src/index.js";
import { pagedArchive } from "../scan/pagedServer.js";
import { errorOf } from "../service/helpers.js";
import { temporaryFolder } from "./temporary.js";
import { readers } from "./written.js";

const scratch = temporaryFolder();
// Not the state directory of the user who runs the tests.
beforeAll(() => void vi.stubEnv("XDG_STATE_HOME", scratch));
afterAll(() => void vi.unstubAllEnvs());

/** The part of S3 that writers need: objects, single-part or multipart. */
class FakeObjectStore implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>();
  readonly received: string[] = [];
  readonly #uploads = new Map<string, Buffer[]>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** @param status respond to every request with this error status */
  constructor(readonly status?: number) {}

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get formatOptions(): FormatOptions {
    const { port } = this.#server.address() as AddressInfo;
    return {
      cloudOptions: {
        aws_access_key_id: "a",
        aws_secret_access_key: "b",
        aws_region: "us-east-1",
        aws_endpoint_url: `http://127.0.0.1:${port}`,
        aws_allow_http: "true",
      },
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://store");
    const upload = searchParams.get("uploadId") ?? "";
    const part = Number(searchParams.get("partNumber"));
    const xml = (text: string) => response.setHeader("content-type", "application/xml").end(text);
    const step = `${request.method} ${pathname} ${[...searchParams.keys()].sort().join(",")}`.trim();
    this.received.push(step);
    if (this.status !== undefined) {
      response.statusCode = this.status;
      xml("<Error><Code>AccessDenied</Code><Message>no</Message></Error>");
    } else if (step.endsWith("uploads")) {
      this.#uploads.set("u1", []);
      xml("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>");
    } else if (part > 0) {
      (this.#uploads.get(upload) as Buffer[])[part - 1] = body;
      response.setHeader("etag", `"${part}"`).end();
    } else if (request.method === "POST") {
      this.objects.set(pathname, Buffer.concat(this.#uploads.get(upload) as Buffer[]));
      xml('<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>');
    } else {
      this.objects.set(pathname, body);
      response.setHeader("etag", '"x"').end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function save(
  format: "parquet" | "arrow",
  path: string,
  formatOptions: FormatOptions,
  ...frames: PolarsFrame[]
): Promise<void> {
  await writeFrames(frames, { path, scratch, name: "mentions", isRemote: true }, format, formatOptions);
}

const small = pl.DataFrame({ id: ["a", null, "b"], "*": [1, 2, 3] });

describe.each(["parquet", "arrow"] as const)("%s to an object store", (format) => {
  it("writes an object that reads back equal", async () => {
    await using store = await new FakeObjectStore().open();
    await save(format, `s3://bucket/a b/mentions.${format}`, store.formatOptions, small, small);
    expect([...store.objects.keys()]).toEqual([`/bucket/a%20b/mentions.${format}`]);
    const [object] = [...store.objects.values()] as [Buffer];
    expect(readers[format](object).frameEqual(pl.concat([small, small]), true)).toBe(true);
    expect(existsSync("s3:")).toBe(false);
  });

  it("throws if the store refuses, and creates no directory called s3:", async () => {
    await using store = await new FakeObjectStore(403).open();
    await expect(save(format, "s3://bucket/mentions", store.formatOptions, small)).rejects.toThrow(
      /403|denied|Forbidden/i,
    );
    expect(store.received).not.toEqual([]);
    expect(existsSync("s3:")).toBe(false);
  });
});

it("a large object is uploaded in parts", async () => {
  await using store = await new FakeObjectStore().open();
  // Arrow is not compressed, so the size is known: 80 MB.
  const block = pl.DataFrame({ n: Float64Array.from({ length: 2_500_000 }, (_, at) => at) });
  await save("arrow", "s3://bucket/large.arrow", store.formatOptions, block, block, block, block);
  expect(store.received[0]).toBe("POST /bucket/large.arrow uploads");
  expect(store.received.filter((step) => step.startsWith("PUT")).length).toBeGreaterThan(1);
  expect(store.received.at(-1)).toBe("POST /bucket/large.arrow uploadId");
  const back = pl.readIPC(store.objects.get("/bucket/large.arrow") as Buffer);
  expect(back.frameEqual(pl.concat([block, block, block, block], { how: "diagonal" }))).toBe(true);
});

it("save and saveFrame write there, and a refused upload loses nothing", async () => {
  const { server, archive } = await pagedArchive({ rows: 250 });
  const options = { query: "climate", maxItems: 250 };
  // A unique name, so that unfinished work of an earlier run does not interfere.
  const place = randomUUID();
  {
    await using closed = await new FakeObjectStore(403).open();
    const cloudOptions = { ...closed.formatOptions.cloudOptions, aws_secret_access_key: "canary-secret" };
    const refused = archive.save("mentions", `s3://bucket/${place}/`, { ...options, cloudOptions, format: "parquet" });
    const error = await errorOf(refused, ArchiveError);
    expect(error.path).toBe(`s3://bucket/${place}/mentions.parquet`);
    expect(error.message).toMatch(/250 rows are saved/);
    expect(error.message + error.stack + JSON.stringify(error)).not.toContain("canary-secret");
  }
  const before = server.requests.length;
  await using store = await new FakeObjectStore().open();
  const path = await archive.save("mentions", `s3://bucket/${place}/`, {
    ...options,
    ...store.formatOptions,
    format: "parquet",
  });
  expect(path).toBe(`s3://bucket/${place}/mentions.parquet`);
  expect(server.requests).toHaveLength(before);
  await saveFrame(small, "s3://bucket/small.parquet", store.formatOptions);
  const heights = [...store.objects.values()].map((object) => pl.readParquet(object).height);
  expect(heights).toEqual([250, small.height]);
});
