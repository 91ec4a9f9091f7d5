const MARK = "[redacted]";

/** A shorter secret may well be a part of ordinary words. */
export const SHORTEST_TELLING = 8;

/** Shorter pieces of base64 say too little about a key, and would hit ordinary words. */
const SHORTEST_BASE64 = 8;

/** How HTML spells what it cannot hold. */
const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/**
 * Makes a function that takes a secret out of any text: as it is, URL-encoded, JSON- or HTML-escaped (in any mixture,
 * as programs differ in what they escape), and in base64, also where it is only a part of what was encoded.
 *
 * @example
 * const redact = createRedactor("s3cr3t-key");
 * redact("no such key: s3cr3t-key"); //=> "no such key: [redacted]"
 */
export function createRedactor(secret: string): (text: string) => string {
  if (secret === "") return (text) => text;
  const spelled = [...secret].map(anySpelling).join("");
  // The longest first, so that no form is left half standing because a part of it matched before.
  const forms = base64Forms(secret).sort((a, b) => b.length - a.length);
  const base64 = forms.map((form) => form.replace(/[^a-z0-9]/gi, anySpelling));
  // A very short key is matched exactly: in any letter case it would be found in every second word.
  const pattern = new RegExp([spelled, ...base64].join("|"), secret.length < SHORTEST_TELLING ? "g" : "gi");
  return (text) => text.replace(pattern, MARK);
}

/** A pattern for one character, however it is written. */
function anySpelling(char: string): string {
  return `(?:${spellings(char).join("|")})`;
}

function spellings(char: string): string[] {
  const code = char.charCodeAt(0);
  const hex = code.toString(16);
  const bytes = Buffer.from(char, "utf8");
  const percent = (some: Buffer) => [...some].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const all = [
    escaped(char),
    `\\\\u${hex.padStart(4, "0")}`,
    ...(/["\\/]/.test(char) ? [`\\\\${escaped(char)}`] : []),
    `&#0*${code};`,
    `&#x0*${hex};`,
    ...(Object.hasOwn(ENTITIES, char) ? [`&${ENTITIES[char]};`] : []),
    percent(bytes),
    percent(Buffer.from(char, "latin1")),
    ...(char === " " ? ["\\+"] : []),
    // Beyond ASCII, text that was read in the wrong encoding still shows most of the key.
    ...(code > 0x7e ? ["\\ufffd", bytes.toString("latin1")] : []),
  ];
  // Percent, \u and numeric forms use hex digits of either case, also where the key itself is matched exactly.
  return [...new Set(all.flatMap((form) => [form, upperHex(form)]))];
}

function upperHex(form: string): string {
  return form.replace(/(%|\\\\u|&#x0\*)([0-9a-f]+)/g, (_, lead: string, hex: string) => lead + hex.toUpperCase());
}

/**
 * The secret in base64. That works on groups of three bytes, so a secret inside a longer text has three shapes, one for
 * each place it can take in a group. The characters at both ends depend on the neighbours and are left out.
 */
export function base64Forms(secret: string): string[] {
  const bytes = [Buffer.from(secret, "utf8"), Buffer.from(secret, "latin1")];
  return [...new Set(bytes.flatMap(shapes))];
}

function shapes(bytes: Buffer): string[] {
  const forms = [bytes.toString("base64"), bytes.toString("base64url")];
  for (const lead of [0, 1, 2]) {
    const start = Math.ceil((lead * 4) / 3);
    const end = Math.floor(((lead + bytes.length) * 4) / 3);
    const whole = Buffer.concat([Buffer.alloc(lead), bytes])
      .toString("base64")
      .slice(start, end);
    if (whole.length < SHORTEST_BASE64) continue;
    forms.push(whole, whole.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
