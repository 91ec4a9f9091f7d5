import { checkCongress } from "../../../src/members/congressDates.js";
import { readBillNumber } from "../../../src/speeches/judge/billKinds.js";
import { type JudgedBill, judge } from "../../../src/speeches/judge/judge.js";
import { titlePatterns } from "../../../src/speeches/judge/titlePattern.js";
import { kindsOf, phrase } from "../../../src/speeches/queryVariants.js";
import { repairTitle, vocabularyOf } from "../../../src/speeches/repairTitle.js";
import { isOfChamber, speakerRole, speakersOf } from "../../../src/speeches/speakers.js";
import { readCaption } from "../../../src/util/captionText.js";
import type { Loop } from "./loop.js";

const VOCABULARY = vocabularyOf();
const BILL: JudgedBill = {
  kinds: ["hr", "s"],
  number: "1",
  congress: 117,
  titles: [...titlePatterns("For the People Act of 2021"), ...titlePatterns("A  a  a  Act", true)],
  shortTitles: titlePatterns("For the People bill"),
  acronyms: titlePatterns("FPA"),
  literals: titlePatterns("P.L. 117-1"),
};

export const speechesLoops: readonly Loop[] = [
  { name: "isOfChamber", run: (text) => [isOfChamber(text, "senate"), isOfChamber(text, "house")] },
  { name: "checkCongress", run: checkCongress },
  { name: "phrase", run: phrase },
  { name: "readBillNumber", run: readBillNumber },
  { name: "judge", run: (text) => judge(readCaption(text), BILL) },
  { name: "titlePatterns", run: (text) => [titlePatterns(text), titlePatterns(text, true)] },
  { name: "repairTitle", run: (text) => repairTitle(text, VOCABULARY) },
  { name: "kindsOf", run: (text) => kindsOf(text, "1", text) },
  { name: "speakerRole", run: (text) => speakerRole({ person: text, text }, text, false) },
  {
    name: "speakersOf",
    run: (text) =>
      speakersOf([{ row: { personid: text, person: text, title: text } }] as never, {
        chamber: "senate",
        inferSpeakers: true,
      }),
  },
];
