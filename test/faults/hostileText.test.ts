import { describe, it } from "vitest";
import { FULL, LONG } from "../scale.js";
import { hostileTexts } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { expectLinear } from "./hostileText/timeLimit.js";

/** Characters per text: enough to expose quadratic time. */
const SIZE = LONG ? 300_000 : 24_000;

describe("every loop over untrusted text", () => {
  it.each(LOOPS.map((loop) => [loop.name, loop] as const))(
    "%s takes linear time on hostile text",
    (_name, { texts = hostileTexts, run, size = SIZE }) => {
      // In `npm test`, a fourth of many texts.
      const some = (all: readonly string[]) => all.filter((_text, at) => FULL || all.length < 60 || at % 4 === 0);
      expectLinear(run, (length) => some(texts(length)), Math.min(size, SIZE));
    },
  );
});
