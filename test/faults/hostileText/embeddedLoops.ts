import { evaluateLucene } from "../../../src/embedded/search/lucene.js";
import { tokens } from "../../../src/embedded/search/textIndex.js";
import type { Loop } from "./loop.js";

const searchable = { size: 1, fields: ["text"], indexes: () => [] };

export const embeddedLoops: readonly Loop[] = [
  { name: "tokens", run: tokens },
  // Node refuses longer URLs.
  { name: "evaluateLucene", size: 16_000, run: (query) => evaluateLucene(query, searchable) },
];
