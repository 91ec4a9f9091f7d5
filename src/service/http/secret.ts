/** Shorter values may be part of ordinary words. */
const MIN_DISTINCTIVE_LENGTH = 8;

const REPLACEMENT = "[redacted]";

/** A value that printing does not show. Finds the value in text: literal, in a URL, in a JSON string, and in base64. */
export class Secret {
  readonly #value: string;
  readonly #forms: readonly string[];

  constructor(value: string) {
    this.#value = value;
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...base64Forms(value)];
    // A form may be part of a longer one.
    this.#forms = [...new Set(forms)].filter(Boolean).sort((a, b) => b.length - a.length);
  }

  /** The value, for the request header only. */
  reveal(): string {
    return this.#value;
  }

  readonly redact = (text: string): string => {
    let clean = text;
    for (const form of this.#forms) clean = clean.replaceAll(form, REPLACEMENT);
    return clean;
  };

  /** Whether a text contains the value. Always false for a short one. */
  occursIn(text: string): boolean {
    return this.#value.length >= MIN_DISTINCTIVE_LENGTH && this.redact(text) !== text;
  }

  /** Removes the value from a body; a short one is left in. A body without it is returned as it is. */
  redactBody(body: Buffer): Buffer {
    const isShort = this.#value.length < MIN_DISTINCTIVE_LENGTH;
    if (isShort || !this.#forms.some((form) => body.includes(form))) return body;
    return Buffer.from(this.redact(body.toString()));
  }

  /** Removes the value from all names and values of a record of headers. */
  redactAll(record: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(record);
    const text = entries.join("\n");
    return this.redact(text) === text
      ? { ...record }
      : Object.fromEntries(entries.map((entry) => entry.map(this.redact)));
  }
}

/** In base64 of a longer text, at each of the three offsets: the letters that do not depend on the text around it. */
function base64Forms(value: string): string[] {
  if (value.length < MIN_DISTINCTIVE_LENGTH) return [];
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
  });
}

/** The variables that the key is read from: the first that is set. C-SPAN's own Python client reads the second. */
export const KEY_VARIABLES = ["ARCHIVE_API_KEY", "CSPAN_API_KEY"] as const;

/** The key in the environment, trimmed, and its variable. An empty variable counts as unset. */
export function environmentKey(env: NodeJS.ProcessEnv): { variable: string; key: string } | undefined {
  const variable = KEY_VARIABLES.find((name) => env[name]?.trim());
  return variable && { variable, key: (env[variable] as string).trim() };
}
