import type { Row } from "../service/operations/operations.js";
import type { BillKind } from "./judge/billKinds.js";
import { isNumberOf, type JudgedBill, type Judgement, judge } from "./judge/judge.js";
import { indexOf, type NumberMention, readText, type SpeechText } from "./judge/numberMentions.js";
import { boundNumbers, hasAnotherTitle, titleFlaws } from "./judge/titleContext.js";
import { tellingWords, titleMentions } from "./judge/titlePattern.js";
import type { Speech } from "./mergeSpeeches.js";

export interface JudgedSpeech extends Speech {
  /** Why it counts as one on the bill, or does not. */
  readonly judgement: Judgement;
}

export interface JudgedSpeeches {
  readonly kept: readonly JudgedSpeech[];
  readonly rejected: readonly JudgedSpeech[];
}

const NOTHING = { matchText: null, snippet: null, confidence: null };
/** Found by a query of the caller, who knows why. */
const OF_CALLER: Judgement = { ...NOTHING, matchedBy: "query", conflicts: [] };
const NO_TEXT: Judgement = { ...NOTHING, matchedBy: null, conflicts: ["no text"] };

/** Returns a function that reads the text of a row, each text once; undefined for a row without text. */
export function captionReader(): (row: Row) => SpeechText | undefined {
  const captions = new Map<string, SpeechText>();
  return ({ text }) => {
    if (typeof text !== "string" || text.trim() === "") return undefined;
    const caption = captions.get(text) ?? readText(text);
    captions.set(text, caption);
    return caption;
  };
}

type CaptionReader = ReturnType<typeof captionReader>;

/** Judges the speeches that the searches for one bill found; without a bill to look for, all of them count. */
export function judgeSpeeches(
  bill: JudgedBill | undefined,
  speeches: readonly Speech[],
  minConfidence: number,
  read: CaptionReader,
): JudgedSpeeches {
  if (bill === undefined)
    return { kept: speeches.map((speech) => ({ ...speech, judgement: OF_CALLER })), rejected: [] };
  const rows = speeches.map(({ row }) => row);
  const judged = { ...bill, kinds: possibleKindsOf(bill, rows, read) };
  const judgements = new Map<SpeechText | undefined, Judgement>([[undefined, NO_TEXT]]);
  const all = speeches.map((speech): JudgedSpeech => {
    const text = read(speech.row);
    const judgement = judgements.get(text) ?? judge(text as SpeechText, judged);
    judgements.set(text, judgement);
    return { ...speech, judgement };
  });
  const isKept = ({ judgement }: JudgedSpeech) => (judgement.confidence ?? 1) >= minConfidence;
  return { kept: all.filter(isKept), rejected: all.filter((speech) => !isKept(speech)) };
}

/**
 * The kinds that a bill may have, judging by the texts of some rows. If its number was given without a prefix, the strongest evidence that
 * there is decides:
 *
 * 1. the kinds that texts give right beside the title of the bill;
 * 2. the only one that is named in a program that names the title, or in a text with one of its words;
 * 3. the one that most texts name, if others name the title, or if no text names another one.
 */
export function possibleKindsOf(bill: JudgedBill, rows: readonly Row[], read: CaptionReader): readonly BillKind[] {
  if (bill.kinds.length < 2) return bill.kinds;
  const evidence = rows.flatMap((row) => {
    const text = read(row);
    return text === undefined ? [] : { ...kindEvidence(text, bill), program: row.programid ?? row.programPublicId };
  });
  const own = new Set(evidence.flatMap((one) => one.own));
  if (own.size > 0) return [...own];
  const programs = new Set<unknown>(evidence.flatMap(({ hasTitle, program }) => (hasTitle ? (program ?? []) : [])));
  const near = new Set(
    evidence.flatMap(({ program, hasTitleWord, alone }) => (hasTitleWord || programs.has(program) ? alone : [])),
  );
  const [only, another] = near;
  if (only !== undefined && another === undefined) return [only];
  const texts = (kind: BillKind) => evidence.filter(({ alone }) => alone.includes(kind)).length;
  const [most, next] = [...bill.kinds].sort((a, b) => texts(b) - texts(a)) as [BillKind, BillKind];
  const isNamed = evidence.some(({ hasTitle }) => hasTitle);
  return texts(most) > texts(next) && (isNamed || texts(next) === 0) ? [most] : bill.kinds;
}

/** Short words are in any text. */
const MIN_LETTERS = 4;

/**
 * What a text says about the kind of a bill: the kinds of its number right beside its title and beside no title, and whether the text has the title, or a word that tells it from others.
 */
function kindEvidence(caption: SpeechText, bill: JudgedBill) {
  const mentions = caption.mentions.filter((mention) => isNumberOf(mention, bill) && mention.flaw === undefined);
  const titles = bill.titles.flatMap((pattern) =>
    titleMentions(caption, pattern).filter((one) => titleFlaws(caption, one, pattern, bill.congress).length === 0),
  );
  const index = indexOf(mentions);
  const own = new Set(titles.flatMap((title) => boundNumbers(caption, title, index)));
  const rest = mentions.filter((mention) => !own.has(mention));
  const telling = new Set(bill.titles.flatMap(tellingWords).filter((word) => word.length >= MIN_LETTERS));
  return {
    own: kindsOf([...own]),
    alone: kindsOf(rest.filter((mention) => !hasAnotherTitle(caption, mention, bill.titles))),
    hasTitle: titles.length > 0,
    hasTitleWord: caption.words.some(({ text }) => telling.has(text)),
  };
}

function kindsOf(mentions: readonly NumberMention[]): readonly BillKind[] {
  return mentions.flatMap(({ kinds }) => (kinds.length === 1 ? kinds : []));
}
