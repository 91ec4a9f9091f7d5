const MARK = "[redacted]";

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
  const base64 = ["utf8", "latin1"].flatMap((encoding) => base64Forms(Buffer.from(secret, encoding as BufferEncoding)));
  // The longest first, so that no form is left half standing because a part of it matched before.
  const forms = [...new Set(base64)].sort((a, b) => b.length - a.length).map(escaped);
  const spelled = [...secret].map((char) => `(?:${spellings(char).join("|")})`).join("");
  // A very short key is matched exactly: in any letter case it would be found in every second word.
  const pattern = new RegExp([spelled, ...forms].join("|"), secret.length < 8 ? "g" : "gi");
  return (text) => text.replace(pattern, MARK);
}

/** The ways to write one character, as patterns. */
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
 * Base64 works on groups of three bytes, so a secret inside a longer text has three shapes, one for each place it can
 * take in a group. The characters at both ends depend on the neighbours and are left out.
 */
function base64Forms(bytes: Buffer): string[] {
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
