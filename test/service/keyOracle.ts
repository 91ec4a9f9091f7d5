import fc from "fast-check";

/** A reversible encoding of text. */
type Encoder = (text: string) => string;

/** Encodes each character in the way that `chosen` picks for it, repeating `chosen` as needed. */
function mixed(text: string, chosen: readonly number[], ways: ReadonlyArray<Encoder>): string {
  return Array.from(text, (char, at) => (ways[(chosen[at % chosen.length] ?? 0) % ways.length] as Encoder)(char)).join(
    "",
  );
}

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, "0");
const asItIs: Encoder = (char) => char;
const unicode: Encoder = (char) => `\\u${hex(char, 4)}`;
const unicodeUpper: Encoder = (char) => `\\u${hex(char, 4).toUpperCase()}`;
const json: Encoder = (char) => JSON.stringify(char).slice(1, -1);
const percent: Encoder = (char) =>
  Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const percentUpper: Encoder = (char) => percent(char).toUpperCase();
const percentLatin1: Encoder = (char) => `%${hex(char, 2)}`;
const decimal: Encoder = (char) => `&#${char.charCodeAt(0)};`;
const decimalPadded: Encoder = (char) => `&#00${char.charCodeAt(0)};`;
const hexadecimal: Encoder = (char) => `&#x${hex(char, 2)};`;
const hexadecimalUpper: Encoder = (char) => `&#X${hex(char, 4).toUpperCase()};`;
const NAMES: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "%": "percnt",
  "\\": "bsol",
  "/": "sol",
  "+": "plus",
  "#": "num",
  ";": "semi",
  "=": "equals",
  "-": "-",
  " ": " ",
  "!": "excl",
  ".": "period",
  _: "lowbar",
  é: "eacute",
};
const named: Encoder = (char) => (NAMES[char] !== undefined && NAMES[char].length > 1 ? `&${NAMES[char]};` : char);

/** A literal backslash is always doubled, so that JSON escapes stay unambiguous. */
const JSON_WAYS = [json, unicode, unicodeUpper, (char: string) => (char === "/" ? "\\/" : json(char))];
const keep = (signs: string, ways: Encoder[], must: Encoder): Encoder[] =>
  ways.map((way) => (char) => (signs.includes(char) && way(char) === char ? must(char) : way(char)));
const PERCENT_WAYS = keep("%", [asItIs, percent, percentUpper, percentLatin1], percent);
const HTML_WAYS = keep("&", [asItIs, decimal, decimalPadded, hexadecimal, hexadecimalUpper, named], decimal);

function wrapped(text: string, width: number, lineEnd: string): string {
  return text.replace(new RegExp(`(.{${width}})`, "g"), `$1${lineEnd}`);
}

const chosen = fc.array(fc.nat(5), { minLength: 1, maxLength: 12 });
const lead = fc.constantFrom("", "a", "ab", "user:", '{"key":"');

/** Every known encoding, with its options. */
const encoder: fc.Arbitrary<Encoder> = fc.oneof(
  fc.constant(asItIs),
  chosen.map(
    (which): Encoder =>
      (text) =>
        mixed(text, which, JSON_WAYS),
  ),
  chosen.map(
    (which): Encoder =>
      (text) =>
        mixed(text, which, PERCENT_WAYS),
  ),
  fc.constant<Encoder>((text) => new URLSearchParams({ k: text }).toString().slice(2)),
  fc.constant<Encoder>(encodeURIComponent),
  chosen.map(
    (which): Encoder =>
      (text) =>
        mixed(text, which, HTML_WAYS),
  ),
  // Introducers are always escaped, so that every order of decoding returns the same text.
  chosen.map(
    (which): Encoder =>
      (text) =>
        mixed(text, which, keep("%&\\", [asItIs, unicode, percent, decimal], unicode)),
  ),
  fc
    .record({
      lead,
      url: fc.boolean(),
      latin1: fc.boolean(),
      width: fc.constantFrom(0, 0, 4, 7, 64, 76),
      crlf: fc.boolean(),
    })
    .map(
      ({ lead, url, latin1, width, crlf }): Encoder =>
        (text) => {
          const bytes = Buffer.from(`${lead}${text}!`, latin1 ? "latin1" : "utf8");
          const base64 = bytes.toString(url ? "base64url" : "base64");
          return width === 0 ? base64 : wrapped(base64, width, crlf ? "\r\n" : "\n");
        },
    ),
);

const around = fc.oneof(
  fc.constant(""),
  fc.string({ maxLength: 20 }),
  fc.constantFrom("%", "&#", "\\", "100%", "&amp", "QUJD", "=", '"'),
);

/** A key under up to two nested encodings, inside other text. */
export function hiddenKey(): fc.Arbitrary<{ key: string; text: string }> {
  return fc
    .record({ key: anyKey, inner: encoder, outer: encoder, before: around, after: around })
    .map(({ key, inner, outer, before, after }) => {
      const written = outer(inner(key));
      // An incomplete escape in front would swallow the first letters of base64 in every decoder.
      const joint = written.includes(key) || !/[%&\\]\S{0,9}$/.test(before) ? "" : " ";
      return { key, text: before + joint + written + after };
    });
}

/** A key that the client accepts. */
const anyKey: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 200 }),
    fc.stringMatching(/^[A-Za-z0-9._~-]{8,60}$/),
    fc.string({
      unit: fc.integer({ min: 0xa0, max: 0xff }).map((code) => String.fromCharCode(code)),
      minLength: 8,
      maxLength: 30,
    }),
    fc.string({ unit: fc.constantFrom(...'%&\\#;ux0123456789+/= "éab'), minLength: 8, maxLength: 30 }),
  )
  .map((key) => key.trim())
  .filter((key) => key.length >= 8);

/** The decoders, written independently of the package. */
const decoders: Array<(text: string) => string[]> = [
  (text) => [
    text.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code, char) =>
      code
        ? String.fromCharCode(Number.parseInt(code, 16))
        : (({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" } as Record<string, string>)[char] ?? char),
    ),
  ],
  (text) =>
    ["utf8", "latin1"].flatMap((charset) =>
      [false, true].map((plus) => {
        const spaced = plus ? text.replaceAll("+", " ") : text;
        return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
          Buffer.from(run.replaceAll("%", ""), "hex").toString(charset as BufferEncoding),
        );
      }),
    ),
  (text) => [
    text.replace(/&(?:#(\d+);?|#x([0-9a-f]+);?|(\w+);)/gi, (whole, dec, hexa, name) => {
      if (name !== undefined) return Object.entries(NAMES).find(([, known]) => known === name)?.[0] ?? whole;
      const code = dec !== undefined ? Number(dec) : Number.parseInt(hexa, 16);
      return code < 0x110000 ? String.fromCodePoint(code) : whole;
    }),
  ],
  (text) => [
    text.replace(/\\u([0-9a-f]{4})|%([0-9a-f]{2})|&#(\d+);/gi, (whole, a, b, c) => {
      const code = c === undefined ? Number.parseInt(a ?? b, 16) : Number(c);
      return code < 256 ? String.fromCharCode(code) : whole;
    }),
  ],
  (text) =>
    (text.match(/[A-Za-z0-9+/_-][A-Za-z0-9+/_\r\n-]{9,}/g) ?? []).flatMap((run) => {
      const letters = run.replace(/[\r\n]/g, "");
      return [0, 1, 2, 3].flatMap((shift) => {
        const bytes = Buffer.from(letters.slice(shift), "base64");
        return [bytes.toString("utf8"), bytes.toString("latin1")];
      });
    }),
];

/** Whether any chain of up to `depth` decoders turns the text into one that contains the key. */
export function decodesTo(key: string, text: string, depth: number): boolean {
  let texts = new Set([text]);
  const seen = new Set(texts);
  for (let level = 0; ; level++) {
    for (const one of texts) if (one.includes(key)) return true;
    if (level === depth) return false;
    const further = new Set<string>();
    for (const one of texts)
      for (const decode of decoders)
        for (const made of decode(one)) {
          if (made.length < key.length || seen.has(made)) continue;
          seen.add(made);
          further.add(made);
        }
    texts = further;
  }
}
