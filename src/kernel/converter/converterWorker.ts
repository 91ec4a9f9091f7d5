import { parentPort } from "node:worker_threads";
import type { ConverterMethods, ConverterRequest, ConverterResponse } from "./converter.js";
import { tslabConverter } from "./tslabConverter.js";

const methods: ConverterMethods = tslabConverter();

parentPort?.on("message", (request: ConverterRequest) => {
  parentPort?.postMessage(respond(request));
});

function respond({ id, method, args }: ConverterRequest): ConverterResponse {
  try {
    return { id, value: (methods[method] as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    return { id, error: `TypeScript itself failed: ${(error as Error).message}` };
  }
}
