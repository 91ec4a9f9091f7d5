import { type Captions, captionText } from "./Captions.js";
import type { Random } from "./Random.js";

/** What a spreadsheet would take for a formula, a command or a number. */
const FORMULAS = ["=1+1 ", "@here ", "-5 ", "+1 ", '=HYPERLINK("https://evil.example","here") ', "\t=2*3 "];

/** What a page would take for markup. */
const MARKUP = ["<b>", "<i>", "<script>alert(1)</script>", "</td></tr>", "&lt;b&gt; & <img src=x onerror=alert(1)>"];

const EMOJI = ["😀", "🇺🇸", "👩‍⚖️", "🔥", "✅"];

/**
 * Now and then turns captions into what the live archive also holds: text that is dangerous to show or to store
 * carelessly. Every value of the service is to be treated as hostile; this makes sure that some are.
 */
export function maybeHostile(random: Random, captions: Captions): Captions {
  if (!random.chance(0.05)) return captions;
  return { pieces: [hostile(random, captionText(captions))], capitals: false };
}

function hostile(random: Random, text: string): string {
  switch (random.below(7)) {
    case 0:
      return random.pick(FORMULAS) + text;
    case 1:
      return `<b>${text}</b>`;
    case 2:
      return `${random.pick(MARKUP)}${text}`;
    case 3:
      return `${text} ${random.pick(EMOJI)}`;
    case 4:
      return `"${text}", he said, ""quote"" and 'unquote'`;
    case 5:
      return text.replace(" ", "\u00a0").replaceAll(", ", ",\t");
    default:
      return text.replace(" ", "\u2028");
  }
}
