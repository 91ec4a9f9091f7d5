import { isOfChamber } from "../../../src/speeches/chamber.js";
import { checkCongress } from "../../../src/speeches/congressDates.js";
import { phrase } from "../../../src/speeches/queryVariants.js";
import { speakersOf } from "../../../src/speeches/speakers.js";
import type { Loop } from "./loop.js";

export const speechesLoops: readonly Loop[] = [
  { name: "isOfChamber", run: (text) => [isOfChamber(text, "senate"), isOfChamber(text, "house")] },
  { name: "checkCongress", run: checkCongress },
  { name: "phrase", run: phrase },
  {
    name: "speakersOf",
    run: (text) => speakersOf([{ row: { personid: text, person: text, title: text } }] as never, "senate"),
  },
];
