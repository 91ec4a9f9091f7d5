import type { Row } from "../service/operations/operations.js";
import type { BillKind } from "./judge/billKinds.js";
import { type BillCriteria, isNumberOf, type Judgement, judge } from "./judge/judge.js";
import { indexOf, type NumberMention, readText, type SpeechText } from "./judge/numberMentions.js";
import { boundNumbers, hasAnotherTitle, titleFlaws } from "./judge/titleContext.js";
import { distinctiveWords, titleMentions } from "./judge/titlePattern.js";
import type { Speech } from "./mergeSpeeches.js";

export interface JudgedSpeech extends Speech {
  readonly judgement: Judgement;
}

export interface JudgedSpeeches {
  readonly accepted: readonly JudgedSpeech[];
  readonly rejected: readonly JudgedSpeech[];
}

const NO_MATCH = { matchText: null, snippet: null, confidence: null };
const QUERY_OF_CALLER: Judgement = { ...NO_MATCH, matchedBy: "query", conflicts: [] };
const NO_TEXT: Judgement = { ...NO_MATCH, matchedBy: null, conflicts: ["no text"] };

/** Returns a function that parses the text of a row, with a cache; undefined for a row without text. */
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

/** Judges the speeches found for one bill. Without criteria, all of them count. */
export function judgeSpeeches(
  bill: BillCriteria | undefined,
  speeches: readonly Speech[],
  minConfidence: number,
  read: CaptionReader,
): JudgedSpeeches {
  if (bill === undefined)
    return { accepted: speeches.map((speech) => ({ ...speech, judgement: QUERY_OF_CALLER })), rejected: [] };
  const rows = speeches.map(({ row }) => row);
  const criteria = { ...bill, kinds: possibleKindsOf(bill, rows, read) };
  const judgements = new Map<SpeechText | undefined, Judgement>([[undefined, NO_TEXT]]);
  const all = speeches.map((speech): JudgedSpeech => {
    const text = read(speech.row);
    const judgement = judgements.get(text) ?? judge(text as SpeechText, criteria);
    judgements.set(text, judgement);
    return { ...speech, judgement };
  });
  const isAccepted = ({ judgement }: JudgedSpeech) => (judgement.confidence ?? 1) >= minConfidence;
  return { accepted: all.filter(isAccepted), rejected: all.filter((speech) => !isAccepted(speech)) };
}

/**
 * The kinds that a bill may have, judging by the texts of some rows. For a number without a prefix, the strongest evidence decides:
 *
 * 1. the kinds named right beside the title of the bill;
 * 2. the only kind named in a program with the title, or in a text with one of its words;
 * 3. the kind that most texts name, if any text has the title, or if no text names another kind.
 */
export function possibleKindsOf(bill: BillCriteria, rows: readonly Row[], read: CaptionReader): readonly BillKind[] {
  if (bill.kinds.length < 2) return bill.kinds;
  const evidence = rows.flatMap((row) => {
    const text = read(row);
    return text === undefined ? [] : { ...kindEvidence(text, bill), program: row.programid ?? row.programPublicId };
  });
  const besideTitle = new Set(evidence.flatMap((text) => text.besideTitle));
  if (besideTitle.size > 0) return [...besideTitle];
  const programs = new Set<unknown>(evidence.flatMap(({ hasTitle, program }) => (hasTitle ? (program ?? []) : [])));
  const related = new Set(
    evidence.flatMap(({ program, hasTitleWord, elsewhere }) =>
      hasTitleWord || programs.has(program) ? elsewhere : [],
    ),
  );
  const [only, another] = related;
  if (only !== undefined && another === undefined) return [only];
  const count = (kind: BillKind) => evidence.filter(({ elsewhere }) => elsewhere.includes(kind)).length;
  const [first, second] = [...bill.kinds].sort((a, b) => count(b) - count(a)) as [BillKind, BillKind];
  const isTitleNamed = evidence.some(({ hasTitle }) => hasTitle);
  return count(first) > count(second) && (isTitleNamed || count(second) === 0) ? [first] : bill.kinds;
}

/** Shorter words are in any text. */
const MIN_LETTERS = 4;

/** The kinds that a text names beside the title of a bill and beside no title, and whether it has the title, or a distinctive word of it. */
function kindEvidence(caption: SpeechText, bill: BillCriteria) {
  const mentions = caption.mentions.filter((mention) => isNumberOf(mention, bill) && mention.flaw === undefined);
  const titles = bill.titles.flatMap((pattern) =>
    titleMentions(caption, pattern).filter((one) => titleFlaws(caption, one, pattern, bill.congress).length === 0),
  );
  const index = indexOf(mentions);
  const besideTitle = new Set(titles.flatMap((title) => boundNumbers(caption, title, index)));
  const otherMentions = mentions.filter((mention) => !besideTitle.has(mention));
  const titleWords = new Set(bill.titles.flatMap(distinctiveWords).filter((word) => word.length >= MIN_LETTERS));
  return {
    besideTitle: kindsOf([...besideTitle]),
    elsewhere: kindsOf(otherMentions.filter((mention) => !hasAnotherTitle(caption, mention, bill.titles))),
    hasTitle: titles.length > 0,
    hasTitleWord: caption.words.some(({ text }) => titleWords.has(text)),
  };
}

function kindsOf(mentions: readonly NumberMention[]): readonly BillKind[] {
  return mentions.flatMap(({ kinds }) => (kinds.length === 1 ? kinds : []));
}
