import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect } from "vitest";
import type { Content, Message } from "../../src/kernel/protocol/message.js";
import { temporaryFolder } from "../files/temporary.js";
import { KernelClient } from "./kernelClient.js";

export type { Content, Message };

/** Variables that keep the live service out, whatever the environment of the tests contains. */
export function kernelEnv(): NodeJS.ProcessEnv {
  const XDG_STATE_HOME = join(process.env.RUN_DIRECTORY ?? tmpdir(), "state");
  return { ARCHIVE_API_KEY: undefined, CSPAN_API_KEY: undefined, ARCHIVE_BASE_URL: undefined, XDG_STATE_HOME };
}

/** Code that names the host of a cell. */
export const HOST = 'const host = (globalThis as any)[Symbol.for("archive-frames.host")];\n';

/** Code that tells `begun` of a kernel. A display is sent immediately, even from a loop. */
export const BEGUN = '(globalThis as any)[Symbol.for("archive-frames.host")].display({ "text/plain": "begun" });';

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

interface StartedCell {
  readonly done: Promise<CellResult>;
  shown(text: string): Promise<void>;
}

/** One kernel for all tests of a file, in a directory outside every project. */
export function useKernel(env: NodeJS.ProcessEnv = {}, directory = temporaryFolder()): ReturnType<typeof testKernel> {
  let client: KernelClient;
  beforeAll(async () => {
    client = await KernelClient.start(directory, { ...kernelEnv(), ...env });
  });
  afterAll(() => client.close());
  return testKernel(() => client);
}

/** The kernel of this process, for files whose tests do not mind what others have declared in it: starting one takes seconds. */
const shared = globalThis as { testKernel?: Promise<KernelClient> };

/**
 * One kernel for all files that this process tests, in a directory outside every project. It exits with the process.
 *
 * @param setup a cell to run before the tests
 */
export function useSharedKernel(setup = ""): ReturnType<typeof testKernel> {
  let client: KernelClient;
  const kernel = testKernel(() => client);
  beforeAll(async () => {
    shared.testKernel ??= startShared();
    client = await shared.testKernel;
    await kernel.value(setup);
  });
  return kernel;
}

/** Nothing tells when the last file has been tested, so all that it leaves is in a directory that is removed after the run. */
function startShared(): Promise<KernelClient> {
  return KernelClient.start(mkdtempSync(join(process.env.RUN_DIRECTORY ?? "", "kernel-")), kernelEnv());
}

function testKernel(clientOf: () => KernelClient) {
  const begin = (code: string, more?: Content) => beginCell(clientOf(), code, more);
  return {
    get client() {
      return clientOf();
    },
    /** Runs a cell and waits for it to finish. */
    run: (code: string, more?: Content) => begin(code, more).done,
    /** Runs a cell that must succeed; returns its value as plain text. */
    async value(code: string) {
      const { value, error } = await begin(code).done;
      expect(error).toBeUndefined();
      return value?.["text/plain"];
    },
    /** Runs a cell that must fail; returns its traceback as plain text. */
    async trace(code: string) {
      const { error, status } = await begin(code).done;
      expect(status).toBe("error");
      return stripVTControlCharacters(error?.traceback.join("\n") ?? "");
    },
    /** Runs a cell; returns the traceback of its error, or the notes below it, as plain text. */
    async told(code: string) {
      const { error, of } = await begin(code).done;
      const notes = of("display_data").map(({ data }) => (data as Record<string, string>)["text/plain"]);
      return stripVTControlCharacters((error?.traceback ?? notes).join("\n"));
    },
    begin,
    begun: (code: string) => begunCell(clientOf(), code),
    /** The next message that no running cell has sent. */
    async stray() {
      const message = await new Promise<Message>((resolve) => {
        clientOf().onStray = resolve;
      });
      clientOf().onStray = () => undefined;
      return message;
    },
  };
}

/** Starts a cell in a kernel and waits for its `BEGUN`. */
export async function begunCell(client: KernelClient, code: string): Promise<StartedCell> {
  const cell = beginCell(client, code);
  // Its kernel may be killed.
  cell.done.catch(() => undefined);
  await cell.shown("begun");
  return cell;
}

/** Starts a cell in a kernel. */
export function beginCell(client: KernelClient, code: string, more?: Content): StartedCell {
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
  const begun = join(mkdtempSync(join(tmpdir(), "later-")), "begun");
  const cell = `{
  const waiting = setInterval(() => {
    if (!require("node:fs").existsSync(${JSON.stringify(begun)})) return;
    clearInterval(waiting);
    ${code};
  }, 10);
}`;
  return { cell, begin: () => writeFileSync(begun, "") };
}
