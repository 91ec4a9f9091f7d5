import type { Archive } from "../server/Archive.js";
import type { Parameters } from "../server/parameters.js";

/** What an operation is given: the archive, the parameters, and the last part of the path where it is an id. */
export interface OperationRequest {
  archive: Archive;
  parameters: Parameters;
  /** Decoded; empty for operations without one. */
  id: string;
}

/** An operation answers with the body of a 200 answer, or throws a Fault. */
export type Operation = (request: OperationRequest) => object;
