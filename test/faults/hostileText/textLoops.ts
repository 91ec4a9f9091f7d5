import { nameWords, personName, titleChambers } from "../../../src/members/names.js";
import { Captions, spokenText } from "../../../src/text/captions.js";
import { compilePatterns } from "../../../src/text/pattern.js";
import { tokens } from "../../../src/text/tokens.js";
import type { Loop } from "./loop.js";

const PATTERNS = compilePatterns(["climate change", "H.R. 1", "a* a*", "1,000", /\btax(?:es)?\b/i]);

/** Reading the text, and who spoke. */
export const textLoops: readonly Loop[] = [
  {
    name: "tokens",
    regexesOf: ["text/tokens.ts"],
    run: (text) => tokens(spokenText(text)),
  },
  {
    name: "patterns in captions",
    regexesOf: ["text/captions.ts", "text/pattern.ts", "text/phrase.ts"],
    run(text) {
      const captions = new Captions([text]);
      for (const { find } of PATTERNS) find(captions, () => undefined);
    },
  },
  { name: "names of speakers", run: (text) => [personName(text), nameWords(text), titleChambers(text)] },
  { name: "a phrase of the user", run: (text) => compilePatterns([text.slice(0, 500)]) },
];
