import type { Bill } from "./bills.js";
import type { Statement } from "./captions.js";
import { type Decoy, type KnownBills, makeDecoy } from "./decoys.js";
import { type HardCase, type Naming, nameBill } from "./naming.js";
import type { Program } from "./programs.js";
import type { Random } from "./random.js";
import { BILL_SENTENCES, CLERK_SENTENCES, SECOND_BILL_SENTENCES } from "./sentences.js";

/** What a mention has to do with a bill: it is about the bill, or only looks like it. */
export type Purpose = "speech" | "decoy";

/** The statements of a mention, and what they truly say. */
export interface Statements {
  statements: readonly Statement[];
  names: readonly Naming[] | undefined;
  decoy: Decoy | undefined;
}

const NOTHING: Statements = { statements: [], names: undefined, decoy: undefined };

/** What a mention says about bills. */
export function statementsOf(
  random: Random,
  known: KnownBills,
  choice: { bill: Bill; program: Program; purpose: Purpose } | undefined,
  byOfficer: boolean,
): Statements {
  if (choice === undefined) return NOTHING;
  const { bill, program, purpose } = choice;
  if (purpose === "decoy") {
    const decoy = makeDecoy(random, bill, known);
    return decoy ? { statements: [decoy], names: undefined, decoy } : NOTHING;
  }
  const first = nameBill(random, bill);
  const said = { sentence: random.pick(byOfficer ? CLERK_SENTENCES : BILL_SENTENCES), bill: first.pieces };
  const other = random.chance(0.03) && program.bills.length > 0 ? random.pick(program.bills) : bill;
  if (isSameName(other, bill)) return { statements: [said], names: [first.naming], decoy: undefined };
  const second = nameBill(random, other);
  const statements = [said, { sentence: random.pick(SECOND_BILL_SENTENCES), bill: second.pieces }];
  return { statements, names: [alsoTwo(first.naming), alsoTwo(second.naming)], decoy: undefined };
}

/** Companions share a title, so a passage that names both would contradict itself. */
function isSameName(one: Bill, other: Bill): boolean {
  return one === other || (one.spokenTitle !== "" && one.spokenTitle === other.spokenTitle);
}

function alsoTwo(naming: Naming): Naming {
  const hard: HardCase[] = [...naming.hard, "two bills"];
  return { ...naming, hard };
}
