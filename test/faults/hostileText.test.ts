import { describe, it } from "vitest";
import { LONG } from "../scale.js";
import { hostileTexts } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { expectLinear } from "./hostileText/timeLimit.js";

/** Characters per text: enough to expose quadratic time. */
const SIZE = LONG ? 300_000 : 24_000;

describe("every loop over untrusted text", () => {
  it.each(LOOPS.map((loop) => [loop.name, loop] as const))(
    "%s takes linear time on hostile text",
    (_name, { texts = hostileTexts, run, size = SIZE }) => {
      expectLinear(run, texts, Math.min(size, SIZE));
    },
  );
});
