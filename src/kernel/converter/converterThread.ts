import { parentPort } from "node:worker_threads";
import type { ConverterAnswer, ConverterCalls, ConverterRequest } from "./converter.js";
import { tslabConverter } from "./tslabConverter.js";

const calls: ConverterCalls = tslabConverter();

parentPort?.on("message", ({ id, call, with: parameters }: ConverterRequest) => {
  const method = calls[call] as (...parameters: unknown[]) => unknown;
  parentPort?.postMessage(answer(id, () => method(...parameters)));
});

function answer(id: number, call: () => unknown): ConverterAnswer {
  try {
    return { id, value: call() };
  } catch (error) {
    return { id, error: `TypeScript itself failed: ${(error as Error).message}` };
  }
}
