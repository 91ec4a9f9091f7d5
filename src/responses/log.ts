import type { ResponseFacts } from "../service/http/requester.js";
import { crc32Of } from "../util/crc32Of.js";

/** The first line of a log. */
export interface LogHeader {
  readonly format: "archive-frames 5";
  /** See `Provenance.source` and `Provenance.baseUrl`. */
  readonly source: string;
  readonly baseUrl: string;
}

/** A response. Its body is in the file named by its hash, unless it is small: then it is in the line, gzip in base64. */
export interface ResponseLine extends ResponseFacts {
  /** Id of its pagination, count, sample or lookup. */
  readonly run: string;
  readonly sha256: string;
  readonly gzip?: string;
}

/** A response, or the end of a run without an error and its rows; null: all rows of the search. */
export type Entry = ResponseLine | { readonly run: string; readonly rows: number | null };

export interface Log {
  /** Undefined if its process was killed before it was written. */
  readonly header: LogHeader | undefined;
  readonly entries: readonly Entry[];
  /** The last line is incomplete because its process was killed. */
  readonly torn: boolean;
}

/** A line begins with the checksum of the rest: `{"crc32":"0123abcd","run":…}`. */
export function lineOf(content: LogHeader | Entry): string {
  const members = JSON.stringify(content).slice(1);
  return `${prefixOf(members)}${members}\n`;
}

/** @throws Error that says what is damaged */
export function readLog(text: string): Log {
  const lines = text.split("\n");
  const torn = lines.pop() !== "";
  const [header, ...entries] = lines.map(contentOf) as [LogHeader | undefined, ...Entry[]];
  if (header !== undefined && header.format !== "archive-frames 5") throw new Error("another version wrote it");
  return { header, entries, torn };
}

function contentOf(line: string, at: number): unknown {
  const members = line.slice('{"crc32":"01234567",'.length);
  if (!line.startsWith(prefixOf(members))) throw new Error(`line ${at + 1} was changed`);
  return JSON.parse(`{${members}`);
}

function prefixOf(members: string): string {
  return `{"crc32":"${crc32Of(members)}",`;
}
