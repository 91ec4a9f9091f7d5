const ONES = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
const TENS = " ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/**
 * The ways in which people read out a number, 1 to 9999, the most common first.
 *
 * @example
 * numberWords(5376); //=> ["fifty-three seventy-six", "five three seven six", "fifty three seventy six", …]
 * numberWords(1);    //=> ["one"]
 */
export function numberWords(number: number): readonly string[] {
  const digits = String(number);
  const read = [number < 100 ? underHundred(number) : number < 1_000 ? hundreds(digits) : thousands(digits)].flat();
  if (digits.length > 2) read.splice(1, 0, [...digits].map((digit) => ONES[Number(digit)]).join(" "));
  return [...new Set([...read, ...read.map((words) => words.replaceAll("-", " "))])];
}

function underHundred(number: number): string {
  if (number < 20) return ONES[number] ?? "";
  const one = number % 10;
  return `${TENS[Math.floor(number / 10)]}${one === 0 ? "" : `-${ONES[one]}`}`;
}

/** 842: "eight forty-two", "eight hundred forty-two", "eight hundred and forty-two". */
function hundreds(digits: string): string[] {
  const first = ONES[Number(digits[0])];
  const rest = Number(digits.slice(1));
  if (rest === 0) return [`${first} hundred`];
  const short = rest < 10 ? `${first} oh ${ONES[rest]}` : `${first} ${underHundred(rest)}`;
  return [short, `${first} hundred ${underHundred(rest)}`, `${first} hundred and ${underHundred(rest)}`];
}

/** 5376: "fifty-three seventy-six", "five thousand three hundred seventy-six". */
function thousands(digits: string): string[] {
  const [high, low] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  const thousand = `${ONES[Number(digits[0])]} thousand`;
  const rest = Number(digits.slice(1));
  if (rest === 0) return [thousand];
  const below = rest < 100 ? underHundred(rest) : (hundreds(digits.slice(1)).at(-1)?.replace(" and ", " ") ?? "");
  const full = `${thousand} ${below}`;
  if (high % 10 === 0) return [full];
  if (low === 0) return [`${underHundred(high)} hundred`];
  return [`${underHundred(high)} ${low < 10 ? `oh ${ONES[low]}` : underHundred(low)}`, full];
}
