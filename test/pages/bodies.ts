/** The declared columns of generated rows: every type, and names that are odd or long. */
export const COLUMNS = {
  id: "string",
  s: "string",
  'a"b': "string",
  i: "int",
  "a name of more than sixteen bytes": "int",
  f: "float",
  b: "bool",
  d: "datetime",
  é: "string",
} as const;

const TEXTS = 'a|é|日本|😀|\\n|\\"|\\\\|\\/|\\u00e9|\\u2028|\\ud83d\\ude00|\u2028|  |{|}|[|]'.split("|");
const MORE = [",", ":", '\\"id\\":', "\\b\\f\\r\\t", "\\u0000", "sixteen bytes ..", "x".repeat(70), "null", "5"];
const ODD = ["\\ud83d", "\\ude00", "\\uDFFF\\ud800", "\\ud83d\\u0041"];
const BROKEN = ["\\x", "\\u12", "\t", "\n", "\u0000", "\\"];
const NUMBERS =
  "0 -0 1 -1 12345 123456789012345 -123456789012345 1234567890123456 9007199254740993 9223372036854775807 9223372036854775808 1.5 -0.25 0.1 5.0 -0.0 1e3 1E-3 1e+2 1e400 1e22 1e23 123456.789012 0.30000000000000004 -1e-5 5e-324 2.5e-10 100000000000000000000".split(
    " ",
  );
const BROKEN_NUMBERS = "01 1. .5 - +1 0x1 NaN 1e -01 1e+ Infinity tru nul True 1_0".split(" ");
const TIMES =
  "2024-04-27T02:35:35Z 2024-02-29T00:00:00Z 2023-02-29T00:00:00Z 1900-02-29T00:00:00Z 2000-02-29T23:59:59Z 2024-13-01T00:00:00Z 2024-04-31T00:00:00Z 2024-04-27T24:00:00Z 2024-04-27 0999-01-01T00:00:00Z 9999-12-31T23:59:59Z 1000-03-01T00:00:00Z 2024-04-27T02:35:35z 2024-04-27T02:35:35+00:00 2024-04-27T02:35:35.25+02:00 2024-04-27T02:35 2024-04-27T02:35:35.1234567Z".split(
    " ",
  );

/** Response bodies, drawn from a seed: mostly pages of mentions that a service could send, many with defects. */
export class Bodies {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below `below`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  chance(percent: number): boolean {
    return this.int(1000) < percent * 10;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  /** The next body. */
  next(): Buffer {
    const odd = this.chance(35) ? 0 : this.pick([1, 1, 5, 20]);
    const rows = Array.from({ length: this.int(5) }, () => this.#row(odd));
    if (this.chance(20) && rows.length > 0) rows.push(this.pick(rows));
    const list = `[${this.#space()}${rows.join(`${this.#space()},${this.#space()}`)}${this.#space()}]`;
    const members = [
      `"cursor":${this.chance(90) ? `"c${this.int(9)}"` : this.pick(["null", "17", '""', "9007199254740993", "[]"])}`,
    ];
    members.splice(
      this.int(2),
      0,
      `${this.chance(1) ? '"ro\\u0077s"' : '"rows"'}${this.#space()}:${this.#space()}${list}`,
    );
    if (this.chance(3))
      members.splice(
        this.int(3),
        0,
        this.pick(['"total":{"a":[1,"]"]}', '"next_cursor":"n"', '"rows":[{"id":"7"}]', '"took":1e400']),
      );
    const body = Buffer.from(`${this.#space()}{${members.join(`${this.#space()},`)}}${this.#space()}`);
    return this.chance(25) ? this.#mutated(body) : body;
  }

  #mutated(body: Buffer): Buffer {
    let bytes = Buffer.from(body);
    for (let times = 1 + this.int(3); times > 0 && bytes.length > 0; times--) {
      const at = this.int(bytes.length);
      const how = this.int(10);
      if (how < 3) bytes[at] = this.int(256);
      else if (how < 6) {
        const byte = this.pick([34, 92, 44, 58, 123, 125, 91, 93, 48, 0x80, 0xc3, 0xff, 32, 10, 0, 0x65]);
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
      } else if (how < 9) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + this.int(4))]);
      else bytes = bytes.subarray(0, at);
    }
    return bytes;
  }

  #space(): string {
    return this.chance(2) ? this.pick([" ", "\n", "\r\n", "\t", "                    "]) : "";
  }

  /** A row whose members have defects, each with this chance in percent. */
  #row(odd: number): string {
    const names = Object.keys(COLUMNS).filter(() => this.chance(90));
    if (this.chance(20)) names.sort(() => this.int(3) - 1);
    if (this.chance(odd)) names.push(this.pick(names.length > 0 ? names : ["id"]));
    if (this.chance(2 * odd)) names.push(this.pick(["more", "by", "height", "a.b", "__proto__", "deep"]));
    const members = names.map((name) => {
      const spelled = this.chance(odd / 2)
        ? `"\\u${(name.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}${JSON.stringify(name.slice(1)).slice(1)}`
        : JSON.stringify(name);
      return `${this.#space()}${spelled}${this.#space()}:${this.#space()}${this.#value(name, odd)}${this.#space()}`;
    });
    return `{${this.#space()}${members.join(",")}}`;
  }

  #value(name: string, odd: number): string {
    if (this.chance(6)) return "null";
    const type = (COLUMNS as Readonly<Record<string, string>>)[name];
    if (this.chance(odd)) return this.#any(3, odd);
    if (type === undefined) return this.#any(2, 0);
    if (name === "id")
      return this.chance(90)
        ? `"${this.int(20)}"`
        : this.pick(['""', '"007"', '"x"', "12", "-3", "1234567890123456", "true", "[]"]);
    if (type === "int") return this.chance(97) ? String(this.int(1e9) - 1000) : this.pick(NUMBERS);
    if (type === "float") return this.chance(90) ? this.pick(["0.5", "-1.25", "17", "1e3", "0.1"]) : this.pick(NUMBERS);
    if (type === "bool") return this.pick(["true", "false"]);
    if (type === "datetime")
      return this.chance(85) ? `"${this.#time()}"` : this.chance(30) ? '""' : `"${this.pick(TIMES)}"`;
    return this.#text(odd);
  }

  #time(): string {
    const two = (below: number, from = 0) => String(from + this.int(below)).padStart(2, "0");
    return `${1000 + this.int(9000)}-${two(12, 1)}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`;
  }

  #text(odd: number): string {
    const pieces = Array.from({ length: this.int(6) }, () => {
      if (this.chance(odd)) return this.pick(this.chance(70) ? ODD : BROKEN);
      return this.pick(this.chance(50) ? TEXTS : MORE);
    });
    return `"${pieces.join("")}"`;
  }

  #any(depth: number, odd: number): string {
    switch (this.int(depth > 0 ? 8 : 6)) {
      case 0:
        return this.#text(odd);
      case 1:
        return this.pick(NUMBERS);
      case 2:
        return this.chance(odd) ? this.pick(BROKEN_NUMBERS) : this.pick(NUMBERS);
      case 3:
        return `"${this.pick(TIMES)}"`;
      case 4:
        return this.pick(["true", "false", "null", '""', "{}", "[]"]);
      case 5:
        return String(this.int(1000));
      case 6:
        return `[${this.#space()}${Array.from({ length: this.int(3) }, () => this.#any(depth - 1, odd)).join(",")}]`;
      default:
        return `{${Array.from({ length: this.int(3) }, () => `"${this.pick(["x", "y", "x.y", "z"])}"${this.#space()}:${this.#any(depth - 1, odd)}`).join(",")}}`;
    }
  }
}
