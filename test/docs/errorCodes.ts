import type { ErrorCode } from "../../src/index.js";
import { readText } from "./markdown.js";

/** A code with its class and its meaning. */
export interface ErrorCodeEntry {
  readonly code: ErrorCode;
  readonly errorClass: string;
  readonly meaning: string;
}

/** The class that carries a code; the compiler refuses a code without one. */
const CLASSES: Readonly<Record<ErrorCode, string>> = {
  INVALID_INPUT: "ValidationError",
  ABORTED: "AbortedError",
  AUTHENTICATION: "AuthenticationError",
  NOT_FOUND: "NotFoundError",
  RATE_LIMITED: "RateLimitError",
  HTTP_ERROR: "APIError",
  SERVER_ERROR: "APIError",
  TIMEOUT: "APIError",
  CONNECTION_FAILED: "APIError",
  BODY_TRUNCATED: "APIError",
  BODY_TOO_LARGE: "APIError",
  BODY_NOT_JSON: "APIError",
  UNEXPECTED_BODY: "APIError",
  TOO_MANY_CELLS: "APIError",
  CURSOR_CIRCLES: "APIError",
  REDIRECT_REFUSED: "APIError",
  OUT_OF_REQUESTS: "APIError",
  COLUMN_WIDENED: "APIError",
  CLIENT_CLOSED: "ArchiveError",
  ENGINE_MISSING: "ArchiveError",
  CHARTS_MISSING: "ArchiveError",
  NOT_WRITABLE: "FileError",
  DISK_FULL: "FileError",
  TARGET_IS_FOLDER: "FileError",
  NAME_TOO_LONG: "FileError",
  TARGET_BUSY: "FileError",
  OTHER_HARVEST: "FileError",
  TOO_LARGE_FOR_XLSX: "FileError",
  TOO_MANY_PARTITIONS: "FileError",
  UNSAFE_PATH: "FileError",
  FILE_ERROR: "FileError",
  NO_SNAPSHOT: "SnapshotError",
  NOT_IN_SNAPSHOT: "SnapshotError",
  SNAPSHOT_DAMAGED: "SnapshotError",
  OTHER_SERVICE: "SnapshotError",
  UNKNOWN: "ArchiveError",
};

/** Every error code with its meaning, from the table in the comment of `ErrorCode`. */
export function errorCodes(): ErrorCodeEntry[] {
  const text = readText("src/errors/errorCode.ts");
  const meanings = new Map(
    [...text.matchAll(/^ \* \| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning as string]),
  );
  const unknown = [...meanings.keys()].filter((code) => !((code as string) in CLASSES));
  if (unknown.length > 0) throw new Error(`the comment of ErrorCode explains unknown codes: ${unknown.join(", ")}`);
  return (Object.keys(CLASSES) as ErrorCode[]).map((code) => {
    const meaning = meanings.get(code);
    if (meaning === undefined) throw new Error(`the comment of ErrorCode does not explain ${code}`);
    return { code, errorClass: CLASSES[code], meaning };
  });
}
