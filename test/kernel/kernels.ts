import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { KernelClient } from "../../src/kernel/headless/kernelClient.js";
import type { KernelLaunchOptions } from "../../src/kernel/headless/kernelProcess.js";
import type { Content, Message } from "../../src/kernel/protocol/wire.js";

export type { Content, Message };

/** The root of the package. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The entry of the built kernel. */
export const ENTRY = join(ROOT, "dist/kernel/main.js");

/** Timeout for starting a kernel: it takes seconds, longer on a busy machine. */
export const START = 300_000;

/** Options that start the built kernel. */
export function builtKernel(): KernelLaunchOptions & { argv: string[] } {
  // Keeps the live service out, whatever the environment of the tests contains.
  const env = { ARCHIVE_API_KEY: undefined, CSPAN_API_KEY: undefined, ARCHIVE_BASE_URL: undefined };
  return { argv: [process.execPath, ENTRY, "{connection_file}"], env };
}

/** A new directory outside every project, deleted after the tests. */
export function scratchDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "archive-frames-test-")));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The result of a cell. */
export interface CellResult {
  readonly status: unknown;
  readonly reply: Content;
  /** Everything published for it, in order. */
  readonly messages: readonly Message[];
  /** The contents of the messages of one type. */
  of(type: string): Content[];
  /** The MIME bundle of its value. */
  readonly value: Record<string, string> | undefined;
  readonly error: { ename: string; evalue: string; traceback: string[] } | undefined;
  /** Its output on a standard stream. */
  text(stream: "stdout" | "stderr"): string;
}

/** A kernel shared by the tests of one file. */
export interface TestKernel {
  readonly client: KernelClient;
  /** Runs a cell and waits for it to finish. */
  run(code: string, more?: Content): Promise<CellResult>;
  /** Starts a cell; `shown` resolves when its output contains a text. */
  begin(code: string): { readonly done: Promise<CellResult>; shown(text: string): Promise<void> };
}

/** One kernel for all tests of a file, in a directory outside every project. */
export function useKernel(options: KernelLaunchOptions, directory = scratchDirectory()): TestKernel {
  let client: KernelClient;
  beforeAll(async () => {
    client = await KernelClient.start(options, directory);
  }, START);
  afterAll(() => client.close());
  return testKernel(() => client);
}

/** The kernel of this process, for files whose tests do not mind what others have declared in it: starting one takes seconds. */
const shared = globalThis as { testKernel?: Promise<KernelClient> };

/** One kernel for all files that this process tests, in a directory outside every project. It exits with the process. */
export function useSharedKernel(): TestKernel {
  let client: KernelClient;
  beforeAll(async () => {
    shared.testKernel ??= startShared();
    client = await shared.testKernel;
  }, START);
  return testKernel(() => client);
}

/** Nothing tells when the last file has been tested, so all that it leaves is in a directory that is removed after the run. */
function startShared(): Promise<KernelClient> {
  return KernelClient.start(builtKernel(), mkdtempSync(join(process.env.RUN_DIRECTORY ?? "", "kernel-")));
}

function testKernel(clientOf: () => KernelClient): TestKernel {
  const begin = (code: string, more?: Content) => beginCell(clientOf(), code, more);
  return {
    get client() {
      return clientOf();
    },
    run: (code, more) => begin(code, more).done,
    begin,
  };
}

/** Starts a cell in a kernel. */
export function beginCell(client: KernelClient, code: string, more?: Content): ReturnType<TestKernel["begin"]> {
  const messages: Message[] = [];
  const watchers = new Set<() => void>();
  const published = (message: Message) => {
    messages.push(message);
    for (const watcher of watchers) watcher();
  };
  const done = client.execute(code, published, more).then((reply) => cellResult(reply, messages));
  const shown = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!messages.some(({ content }) => JSON.stringify(content).includes(text) && content.code === undefined))
          return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return { done, shown };
}

function cellResult(reply: Content, messages: readonly Message[]): CellResult {
  const of = (type: string) => messages.filter(({ header }) => header.msg_type === type).map(({ content }) => content);
  const text = (stream: string) =>
    of("stream")
      .filter(({ name }) => name === stream)
      .map((content) => content.text)
      .join("");
  const value = of("execute_result")[0]?.data as Record<string, string> | undefined;
  const error = of("error")[0] as CellResult["error"];
  return { status: reply.status, reply, messages, of, value, error, text };
}

/** Code for a cell, which runs `code` in the kernel after the cell has ended: once `begin` is called. */
export function later(code: string): { readonly cell: string; begin(): void } {
  const directory = mkdtempSync(join(tmpdir(), "archive-frames-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const begun = join(directory, "begun");
  const cell = `{
  const waiting = setInterval(() => {
    if (!require("node:fs").existsSync(${JSON.stringify(begun)})) return;
    clearInterval(waiting);
    ${code};
  }, 10);
}`;
  return { cell, begin: () => writeFileSync(begun, "") };
}
