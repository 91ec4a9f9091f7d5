import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { bucketOf } from "../../src/fleet/bucket.js";
import { startWorker } from "../../src/fleet/index.js";
import { openStorage } from "../../src/fleet/openStorage.js";
import type { StoredBody } from "../../src/fleet/pageResult.js";
import { servedRows, startCorpusService } from "../corpus/corpusServer.js";
import { temporaryFolder } from "../files/temporary.js";
import { KEY } from "../service/helpers.js";
import { contentOf, folder, oneProcess, openBuild } from "./fleetOf.js";
import { HAS_REDIS, startRedis } from "./redisServer.js";
import { startS3 } from "./s3Server.js";

const root = temporaryFolder();

const OPTIONS = { aws_access_key_id: "id", aws_secret_access_key: "hunter2" };

describe.each(["a directory", "a bucket"])("the bodies of a fleet in %s", (where) => {
  const open = async () => {
    const s3 = await startS3("study");
    const dir = mkdtempSync(join(root || tmpdir(), "storage-"));
    const storage = await (where === "a bucket"
      ? openStorage("s3://study/some/fleet/", s3.cloudOptions)
      : openStorage(dir, undefined));
    const left = () => (where === "a bucket" ? [...s3.objects.keys()] : readdirSync(dir));
    return { storage, left, s3, [Symbol.asyncDispose]: () => s3[Symbol.asyncDispose]() };
  };

  it("are read as they were stored, and removed", async () => {
    await using given = await open();
    const { storage, left } = given;
    const bodies = ["{}", '{"mentions":[]}', "ä".repeat(300_000), ...Array.from({ length: 9 }, (_, at) => `${at}`)];
    const stored: StoredBody[] = [];
    for (const body of bodies) stored.push(await storage.store("a-1", Buffer.from(body)));
    for (const [at, body] of bodies.entries())
      expect((await storage.read("a-1", stored[at] as StoredBody, 1e6)).equals(Buffer.from(body))).toBe(true);
    const other = await storage.store("b-1", Buffer.from("of another queue"));
    const [first] = stored as [StoredBody];
    await storage.remove("a-1", [first.file]);
    await storage.remove("a-1", [first.file]);
    await expect(storage.read("a-1", first, 1e6)).rejects.toMatchObject({ cause: { code: "ENOENT" } });
    await storage.clear("a-1");
    expect(await storage.read("b-1", other, 1e6)).toEqual(Buffer.from("of another queue"));
    await storage.clear("b-1");
    expect(left()).toEqual([]);
  });

  it("are refused if they are not what was stored, or too large", async () => {
    await using given = await open();
    const { storage } = given;
    const [body, other] = [
      await storage.store("a-1", Buffer.from("one")),
      await storage.store("a-1", Buffer.from("two")),
    ];
    await expect(storage.read("a-1", { ...body, bytes: 2 }, 1e6)).rejects.toThrow(/does not contain|unpacked/);
    await expect(storage.read("a-1", body, 2)).rejects.toThrow(/more than/);
    await expect(storage.read("a-1", { ...other, bytes: 1e9 }, 1e10)).rejects.toThrow();
  });
});

describe("a bucket", () => {
  it("is tried again while it is overloaded, and named when it fails", async () => {
    await using s3 = await startS3("study");
    const storage = await openStorage("s3://study", s3.cloudOptions);
    s3.failing = [503, 500, 429];
    await storage.store("a-1", Buffer.from("one"));
    expect(s3.objects.size).toBe(1);
    const failure = { code: "QUEUE_FAILED", message: expect.stringContaining("s3://other") };
    await expect(openStorage("s3://other", s3.cloudOptions)).rejects.toMatchObject(failure);
    const wrong = openStorage("s3://study", { ...s3.cloudOptions, aws_secret_access_key: "hunter2" });
    await expect(wrong).rejects.toThrow(/s3:\/\/study failed: 403 SignatureDoesNotMatch.*AWS_SECRET_ACCESS_KEY/s);
    await expect(wrong).rejects.not.toThrow(/hunter2/);
  });

  it("is reached directly on this machine, whatever the proxy, and close() leaves no connection", async () => {
    vi.stubEnv("http_proxy", "http://127.0.0.1:9");
    try {
      await using s3 = await startS3("study");
      const storage = await openStorage("s3://study", s3.cloudOptions);
      // Larger than a read buffer, and sent while others arrive.
      const bodies = Array.from({ length: 8 }, (_, at) => randomBytes(300_000 + at));
      const stored = await Promise.all(bodies.map((body) => storage.store("a-1", body)));
      const read = await Promise.all(stored.map((body) => storage.read("a-1", body, 1e6)));
      expect(read.map((body, at) => body.equals(bodies[at] as Buffer))).toEqual(bodies.map(() => true));
      await storage.close();
      await expect.poll(() => s3.connections()).toBe(0);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("may contain what others have put there: it is neither read nor removed", async () => {
    await using s3 = await startS3("study");
    const storage = await openStorage("s3://study/fleet", s3.cloudOptions);
    const body = await storage.store("a-1", Buffer.from("one"));
    s3.objects.set(`fleet/a-1/${body.file}`, Buffer.from("another"));
    await expect(storage.read("a-1", body, 1e6)).rejects.toThrow(/SHA-256/);
    // More than a page of a list, before what is ours.
    const others = [0, 1, 2, 3, 4].map((at) => `fleet/a-1/bodies/${at} notes & thesis.docx`);
    for (const name of [...others, "fleet/notes.txt"]) s3.objects.set(name, Buffer.from("mine"));
    await storage.clear("a-1");
    expect([...s3.objects.keys()].sort()).toEqual([...others, "fleet/notes.txt"]);
  });

  it("has its settings from the options, or from the environment", () => {
    const env = {
      AWS_ACCESS_KEY_ID: "env",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_REGION: "eu-west-1",
      AWS_SESSION_TOKEN: "t",
    };
    expect(bucketOf("s3://study/fleet", {}, env)).toEqual({
      base: "https://study.s3.eu-west-1.amazonaws.com/",
      prefix: "fleet/",
      credentials: { accessKeyId: "env", secretAccessKey: "s", region: "eu-west-1", sessionToken: "t" },
      shown: "s3://study/fleet",
    });
    const own = { ...OPTIONS, aws_endpoint_url: "https://minio.example:9000/base/" };
    expect(bucketOf("s3://study", own, env)).toMatchObject({
      base: "https://minio.example:9000/base/study/",
      prefix: "",
    });
    const virtual = { ...own, aws_virtual_hosted_style_request: "true" };
    expect(bucketOf("s3://study", virtual, {}).base).toBe("https://study.minio.example:9000/base/");
  });

  it.each([
    ["s3://", {}],
    ["s3://UPPER/x", {}],
    ["s3://study/../other", {}],
    ["s3://study/a b", {}],
    ["s3://study", { aws_secret_access_key: undefined }],
    ["s3://study", { region: "eu" }],
    ["s3://study", { aws_endpoint_url: "http://minio.example" }],
    ["s3://study", { aws_endpoint_url: "https://ann:hunter2@minio.example" }],
  ])("%s with %j is refused, without its credentials", (address, more) => {
    expect(() => bucketOf(address, { ...OPTIONS, ...more }, {})).toThrow(/^invalid (storage|cloudOptions): /);
    expect(() => bucketOf(address, { ...OPTIONS, ...more }, {})).not.toThrow(/hunter2/);
  });

  it("needs aws4fetch", async () => {
    const opened = openStorage("s3://study", OPTIONS, () =>
      Promise.reject(new Error("Cannot find package 'aws4fetch'")),
    );
    await expect(opened).rejects.toMatchObject({ code: "QUEUE_MISSING", hint: "Run: npm install aws4fetch@1" });
  });

  it.skipIf(!HAS_REDIS)("carries a build: the bytes of one process, and nothing left", async () => {
    await using service = await startCorpusService(servedRows(120));
    const expected = await oneProcess(service, root);
    await using server = await startRedis(folder(root, "redis"));
    await using s3 = await startS3("study");
    const { cloudOptions } = s3;
    const storage = "s3://study/fleet";
    const given = { apiKey: KEY, baseUrl: service.baseUrl, queue: server.url, storage, cloudOptions };
    const worker = await startWorker(given);
    let most = 0;
    const set = s3.objects.set.bind(s3.objects);
    s3.objects.set = (path, body) => {
      most = Math.max(most, s3.objects.size + 1);
      return set(path, body);
    };
    const dir = folder(root, "corpus");
    const { archive, corpus } = await openBuild(service, server, dir, storage, { cloudOptions });
    expect((await corpus.build()).verdict).toBe("complete");
    await archive.close();
    await worker.close();
    expect(await contentOf(dir)).toEqual(expected.bytes);
    expect(most).toBeGreaterThan(5);
    expect(s3.objects.size).toBe(0);
    expect(server.onDisk().includes(String(cloudOptions.aws_secret_access_key))).toBe(false);
  });
});

describe("another storage", () => {
  it("is refused before anything is sent", async () => {
    for (const given of ["gs://bucket", "http://host/x", "a\0b", "", 7])
      await expect(openStorage(given, undefined)).rejects.toThrow(/invalid storage: .*\/mnt\/shared\/fleet/);
  });
});
