import type { ServiceResponse } from "../http/requester.js";
import { operations } from "../operations/operations.js";
import type { ArchiveRequest } from "../operations/request.js";
import { openPage, pageRows } from "../paging/page.js";
import { declaredShape } from "./rowShape.js";

/** Whether an answer can be read to its end: one that cannot is not to be kept, and answered with again. */
export function isPage(response: ServiceResponse, request: ArchiveRequest): boolean {
  try {
    pageRows(openPage(response, request, declaredShape(operations[request.operation].columns), (text) => text));
    return true;
  } catch {
    return false;
  }
}
