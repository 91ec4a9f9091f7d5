/** Shorter keys may be part of ordinary words. */
const MIN_DISTINCTIVE_LENGTH = 8;
/** Shorter keys in base64 would match ordinary words. */
const MIN_BASE64_LENGTH = 4;
/** Bytes of a form that are searched for. */
const MAX_WINDOW = 32;

const MARK = "[redacted]";
const JSON_SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+/g;

/** What writers of JSON escape beyond what they must: none, Python, PHP, Go, .NET. Each with what all of them escape. */
const JSON_ESCAPED = [/(?!)/, /[^\0-\x7f]/, /\//, /[^\0-\x7f]|\//, /[<>&]/, /[^\0-\x7f]|[<>&+'`"]/].map(
  (more) => [more, new RegExp(`${more.source}|["\\\\\0-\x1f\\ud800-\\udfff]`, "g")] as const,
);
/** Text that no writer of JSON escapes. */
const UNESCAPED = /^[\w.%=-]*$/;
const HTML_ESCAPED = [/[&<]/g, /[&<>]/g, /[&<"]/g, /[&<>"]/g, /[&<>"']/g];
const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#39" };

/**
 * A value that is never printed by accident: `console.log`, `JSON.stringify` and `String` show `[redacted]`. It finds itself in a text
 * as programs write it: verbatim, in URLs, HTML and base64, each of them in JSON or in JSON in JSON.
 */
export class Secret {
  readonly #value: string;
  readonly #base64: ReadonlySet<string>;
  readonly #forms: readonly string[];
  readonly #mayBeIn: (bytes: Buffer) => boolean;
  #pattern: RegExp | undefined;

  constructor(value: string) {
    this.#value = value;
    this.#base64 = new Set(base64Forms(value));
    const once = [...plainForms(value), ...this.#base64].flatMap(jsonForms);
    const twice = [...once.map((form) => JSON.stringify(form).slice(1, -1)), ...jsonForms(value).flatMap(jsonForms)];
    this.#forms = value === "" ? [] : [...new Set([...once, ...twice])].sort((a, b) => b.length - a.length);
    this.#mayBeIn = createFilter(this.#forms.map((form) => Buffer.from(form)));
  }

  /** The value, for the request header only. */
  reveal(): string {
    return this.#value;
  }

  readonly redact = (text: string): string => this.#clean(text).text;

  /** Whether a text contains the value. Always false for a short one, which occurs in ordinary words. */
  occursIn(text: string): boolean {
    return this.#value.length >= MIN_DISTINCTIVE_LENGTH && this.#clean(text).redactions > 0;
  }

  /**
   * Removes the value from a body; one without it is returned unchanged. In JSON, whole strings are decoded, redacted and encoded
   * again, and a number is replaced by a string, so that the body stays valid JSON.
   */
  redactBody(body: Buffer): { readonly body: Buffer; readonly redactions: number } {
    if (this.#value.length < MIN_DISTINCTIVE_LENGTH || !this.#mayBeIn(body)) return { body, redactions: 0 };
    const whole = body.toString();
    let redactions = 0;
    const clean = (text: string, original: string): string => {
      const result = this.#clean(text);
      redactions += result.redactions;
      return result.redactions === 0 ? original : JSON.stringify(result.text);
    };
    const cleaned = isJson(whole)
      ? whole.replace(JSON_SCALARS, (json) => clean(json.startsWith('"') ? (JSON.parse(json) as string) : json, json))
      : undefined;
    if (cleaned !== undefined) return { body: redactions === 0 ? body : Buffer.from(cleaned), redactions };
    const result = this.#clean(whole);
    return { body: result.redactions === 0 ? body : Buffer.from(result.text), redactions: result.redactions };
  }

  /** Removes the value from all names and values of a record of headers. */
  redactAll(record: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(record);
    // The key is rarely among them.
    if (!this.#mayBeIn(Buffer.from(entries.join("\n")))) return { ...record };
    return Object.fromEntries(entries.map((entry) => entry.map(this.redact)));
  }

  toString(): string {
    return MARK;
  }

  toJSON(): string {
    return MARK;
  }

  #clean(text: string): { text: string; redactions: number } {
    if (text.length < this.#value.length || !this.#mayBeIn(Buffer.from(text))) return { text, redactions: 0 };
    this.#pattern ??= this.#patternOf();
    let redactions = 0;
    const cleaned = text.replace(this.#pattern, () => {
      redactions += 1;
      return MARK;
    });
    return { text: cleaned, redactions };
  }

  #patternOf(): RegExp {
    const base64 = new Set([...this.#base64].flatMap(jsonForms));
    const sources = this.#forms.map((form) => {
      const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
      // The base64 letters beside it may hold a part of the value.
      return base64.has(form) ? `[\\w+/-]?${literal}[\\w+/-]?(?:=|%3[dD]){0,2}` : literal;
    });
    return new RegExp(sources.join("|"), "g");
  }
}

export function createRedactor(secret: string): (text: string) => string {
  return new Secret(secret).redact;
}

/** Verbatim, in lower case, in upper case, in URLs, in HTML, and with every character escaped. */
function plainForms(value: string): string[] {
  const cases = value.length < MIN_DISTINCTIVE_LENGTH ? [value] : [value, value.toLowerCase(), value.toUpperCase()];
  const each = (text: string, write: (code: string) => string, chars: RegExp = /[\s\S]/g, digits: number = 4) =>
    text.replace(chars, (char) => write((char.codePointAt(0) as number).toString(16).padStart(digits, "0")));
  const unicode = cases.flatMap((text) => [
    each(text, (code) => `\\u${code}`),
    each(text, (code) => `\\u${code.toUpperCase()}`),
  ]);
  const bytes = Buffer.from(value).toString("hex").toUpperCase().replace(/../g, "%$&");
  const query = String(new URLSearchParams({ "": value })).slice(1);
  const urls = [encodeURIComponent(value), encodeURI(value), query, bytes];
  const small = urls.flatMap((url) => [url.replace(/%../g, (code) => code.toLowerCase()), url.toLowerCase()]);
  const signs = HTML_ESCAPED.map((which) => value.replace(which, (sign) => `&${ENTITIES[sign]};`));
  const html = [
    each(value, (code) => `&#${Number.parseInt(code, 16)};`, /./gsu),
    each(value, (code) => `&#x${code};`, /./gsu, 1),
    each(value, (code) => `&#x${code.toUpperCase()};`, /./gsu, 1),
  ];
  return [...cases, ...unicode, ...urls, ...small, ...signs, ...html];
}

/** In base64 of a longer text, at each of the three offsets: the letters that do not depend on the text around it. */
function base64Forms(value: string): string[] {
  if (value.length < MIN_BASE64_LENGTH) return [];
  const forms = [Buffer.from(value), Buffer.from(value, "latin1")].flatMap((text) =>
    [0, 1, 2].flatMap((offset) => {
      const bytes = Buffer.concat([Buffer.alloc(offset), text]);
      const letters = [offset && offset + 1, Math.floor((bytes.length * 8) / 6)];
      return [bytes.toString("base64").slice(...letters), bytes.toString("base64url").slice(...letters)];
    }),
  );
  return forms.flatMap((form) => [form, encodeURIComponent(form)]);
}

/** Verbatim, and as strings of JSON hold it. */
function jsonForms(text: string): string[] {
  if (UNESCAPED.test(text)) return [text];
  const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(4, "0");
  const written = JSON_ESCAPED.flatMap(([more, all]) => {
    const json = (unicode: (char: string) => string) =>
      text.replace(all, (char) => (more.test(char) ? unicode(char) : JSON.stringify(char).slice(1, -1)));
    return [
      json((char) => (char === "/" && more.source.endsWith("/") ? "\\/" : `\\u${hex(char)}`)),
      json((char) => `\\u${hex(char).toUpperCase()}`),
    ];
  });
  return [text, ...written];
}

/**
 * Creates a fast test for whether bytes may contain one of the needles. `false` is certain. It looks at the last two bytes of each
 * possible window and skips ahead as far as no needle has them there (Wu and Manber's search).
 */
function createFilter(needles: readonly Buffer[]): (bytes: Buffer) => boolean {
  const length = Math.min(MAX_WINDOW, ...needles.map((needle) => needle.length));
  if (needles.length === 0 || length < 2) return () => needles.length > 0;
  const shifts = new Uint8Array(2 ** 16).fill(length - 1);
  const heads = new Set(needles.map((needle) => needle.toString("latin1", 0, length)));
  for (const head of heads) {
    for (let at = 1; at < length; at++) {
      const pair = head.charCodeAt(at - 1) * 256 + head.charCodeAt(at);
      shifts[pair] = Math.min(shifts[pair] as number, length - 1 - at);
    }
  }
  const begins = new Uint8Array(2 ** 16);
  for (const head of heads) begins[head.charCodeAt(0) * 256 + head.charCodeAt(1)] = 1;
  return (bytes) => {
    for (let end = length - 1; end < bytes.length; ) {
      const shift = shifts[(bytes[end - 1] as number) * 256 + (bytes[end] as number)] as number;
      end += shift || 1;
      if (shift > 0) continue;
      const begin = end - length;
      if (begins[(bytes[begin] as number) * 256 + (bytes[begin + 1] as number)] === 0) continue;
      if (heads.has(bytes.toString("latin1", begin, end))) return true;
    }
    return false;
  };
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
