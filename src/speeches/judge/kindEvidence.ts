import type { CaptionText, Word } from "../../util/captionText.js";
import type { BillKind } from "./billKinds.js";
import { isNumberOf, type JudgedBill } from "./judge.js";
import { boundNumbers, hasAnotherTitle } from "./numberBeside.js";
import { MentionIndex, type NumberMention, numberMentions } from "./numberMentions.js";
import { titleFlaws } from "./titleContext.js";
import { type TitlePattern, tellingWords, titleMentions } from "./titlePattern.js";

/** What a text says about the kind of a bill whose number is given without a prefix. */
export interface KindEvidence {
  /** Kinds of its number right beside its title. */
  readonly own: readonly BillKind[];
  /** Kinds of its number beside another title. */
  readonly others: readonly BillKind[];
  /** Kinds of its number beside no title. */
  readonly alone: readonly BillKind[];
  /** The text has its title. */
  readonly hasTitle: boolean;
  /** The text has a word that tells its title from others. */
  readonly hasTitleWord: boolean;
}

/**
 * Collects what a text says about the kind of a bill.
 *
 * @example
 * kindEvidence(readCaption("S. 7, THE WATER ACT, AND H.R. 7"), { kinds: ["hr", "s"], number: "7", … });
 * //=> { own: ["s"], others: [], alone: ["hr"], hasTitle: true, hasTitleWord: true }
 */
export function kindEvidence(caption: CaptionText, bill: JudgedBill): KindEvidence {
  const { words } = caption;
  const mentions = numberMentions(caption).filter((mention) => isNumberOf(mention, bill) && mention.flaw === undefined);
  const titles = bill.titles.flatMap((pattern) =>
    titleMentions(caption, pattern).filter((one) => titleFlaws(words, one, pattern, bill.congress).length === 0),
  );
  const index = new MentionIndex(mentions);
  const own = new Set(titles.flatMap((title) => boundNumbers(words, title, index)));
  const rest = mentions.filter((mention) => !own.has(mention));
  const others = new Set(rest.filter((mention) => hasAnotherTitle(words, mention, bill.titles)));
  const alone = rest.filter((mention) => !others.has(mention));
  return {
    own: kindsOf(own),
    others: kindsOf(others),
    alone: kindsOf(alone),
    hasTitle: titles.length > 0,
    hasTitleWord: hasWordOf(words, bill.titles),
  };
}

/** Short words are in any text. */
const MIN_LETTERS = 4;

function hasWordOf(words: readonly Word[], titles: readonly TitlePattern[]): boolean {
  const telling = new Set(titles.flatMap(tellingWords).filter((word) => word.length >= MIN_LETTERS));
  return words.some(({ text }) => telling.has(text));
}

function kindsOf(mentions: Iterable<NumberMention>): BillKind[] {
  return [...mentions].flatMap(({ kinds }) => (kinds.length === 1 ? kinds : []));
}
