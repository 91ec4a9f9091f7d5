import { parseLucene } from "../../../src/embedded/lucene/parseLucene.js";
import { tokens } from "../../../src/embedded/search/tokens.js";
import type { Loop } from "./loop.js";

export const embeddedLoops: readonly Loop[] = [
  { name: "tokens", run: tokens },
  // It is part of a URL, and Node refuses longer ones.
  { name: "parseLucene", size: 16_000, run: parseLucene },
];
