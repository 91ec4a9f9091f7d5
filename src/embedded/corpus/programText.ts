import type { Program } from "./programs.js";
import { Random } from "./Random.js";
import { fillSentence } from "./sentences.js";

/** The transcript of a program that `text:` searches, in pieces: its topics and its bills, at some length. */
export function programText(seed: number, program: Program): readonly string[] {
  const random = new Random(seed, `program-text/${program.row.id}`);
  const pieces: string[] = [];
  for (const topic of program.topics) {
    for (const sentence of random.sample(topic.sentences, 3)) {
      fillSentence(random, sentence, pieces);
      pieces.push(" ");
    }
  }
  for (const bill of program.bills) {
    pieces.push("we turn to the ", bill.spokenTitle, ", ", random.pick(bill.numberForms), ". ");
  }
  return pieces;
}
