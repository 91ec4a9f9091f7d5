import { invalid } from "../errors/validators.js";
import { type BillKind, readBillNumber } from "./judge/billKinds.js";

/** How one types the prefix of a number. */
const PREFIXES: Readonly<Record<BillKind, string>> = {
  hr: "H.R.",
  s: "S.",
  hres: "H. Res.",
  sres: "S. Res.",
  hjres: "H.J. Res.",
  sjres: "S.J. Res.",
  hconres: "H. Con. Res.",
  sconres: "S. Con. Res.",
  hamdt: "H. Amdt.",
  samdt: "S. Amdt.",
};

/**
 * The number of a bill whose type is in a column of its own. A number that has a prefix stays as it is.
 *
 * @param type in any spelling: `"hr"`, `"HJRES"`
 * @throws ValidationError for an unknown type, or one that contradicts the prefix of the number
 * @example
 * numberOfType("hr", "5376");      //=> "H.R. 5376"
 * numberOfType("SJRES", 10);       //=> "S.J. Res. 10"
 * numberOfType("hr", "H.R. 5376"); //=> "H.R. 5376"
 */
export function numberOfType(type: unknown, number: unknown): unknown {
  const [kind, ...others] = readBillNumber(`${type} 1`)?.kinds ?? [];
  if (kind === undefined || others.length > 0) {
    throw invalid(
      "type",
      type,
      `Give one of ${Object.keys(PREFIXES).join(", ")}; or leave the column out, and give number with its prefix: "H.R. 5376". To keep it as a label, give it another name.`,
    );
  }
  if (number === undefined || number === null || number === "") return number;
  const read = readBillNumber(String(number));
  if (read === undefined) throw invalid("number", number, "Give digits, or prefix and digits: 5376 or H.R. 5376.");
  if (read.kinds.length === 0) return `${PREFIXES[kind]} ${read.number}`;
  if (read.kinds.includes(kind)) return number;
  throw invalid("type", type, `The number is ${JSON.stringify(number)}. Correct one of them.`);
}
