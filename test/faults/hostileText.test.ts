import { expect, it } from "vitest";
import { FULL, LONG } from "../scale.js";
import { hostileTexts } from "./hostileText/hostileTexts.js";
import { LOOPS } from "./hostileText/loops.js";
import { expectLinear } from "./hostileText/timeLimit.js";

/** Characters per text: enough to expose quadratic time. */
const SIZE = LONG ? 300_000 : 24_000;

/** In `npm test`, a fourth of many texts. */
const some = (all: readonly string[]) => all.filter((_text, at) => FULL || all.length < 60 || at % 4 === 0);

it.each(Object.entries(LOOPS))("%s takes linear time on hostile text", (_name, { texts, run, size = SIZE }) => {
  const textsOf = (length: number) => some([...hostileTexts(length), ...(texts?.(length) ?? [])]);
  expectLinear(run, textsOf, Math.min(size, SIZE));
});

it("quadratic time is noticed", () => {
  const quadratic = (text: string) => {
    for (let at = 0; at < text.length; at++) text.lastIndexOf("b", text.length - at);
  };
  expect(() => expectLinear(quadratic, (size) => ["a".repeat(size)], 40_000)).toThrow("growth on");
});
