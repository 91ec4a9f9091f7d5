import { parseLucene } from "../../../src/embedded/lucene/parseLucene.js";
import { tokens } from "../../../src/embedded/search/tokens.js";
import type { Loop } from "./loop.js";

export const embeddedLoops: readonly Loop[] = [
  { name: "tokens", run: tokens },
  // Node refuses longer URLs.
  { name: "parseLucene", size: 16_000, run: parseLucene },
];
