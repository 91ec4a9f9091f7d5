// JSON by the book (RFC 8259), written for the tests of the page scanner: slow, plain, and exact for integers of any size.

/** A JSON value. Integers of 16 digits or more are bigint; objects are lists of members, so that repeated names are seen. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export class JsonObject {
  constructor(
    readonly members: ReadonlyArray<readonly [name: string, value: Json]>,
    /** Each member as spelled, without white space around it. */
    readonly spelled: readonly string[],
    readonly text: string,
    /** The value of each member as spelled. */
    readonly values: readonly string[],
  ) {}

  /** The last member of a name wins, at the place of the first; as in every JavaScript object, names that are indexes come first. */
  get entries(): Map<string, Json> {
    const all = new Map(this.members);
    const names = Object.keys(Object.fromEntries([...all.keys()].map((name) => [name, 0])));
    // A literal `__proto__` is an own member, too.
    return new Map(names.map((name) => [name, all.get(name) as Json]));
  }
}

/** How the items of each list are spelled. */
const spelledItems = new WeakMap<Json[], string[]>();

/** @throws SyntaxError */
export function parseByTheBook(text: string): Json {
  let p = 0;
  const fail = (): never => {
    throw new SyntaxError(`at ${p}`);
  };
  const space = () => {
    while (p < text.length && " \t\n\r".includes(text[p] as string)) p++;
  };
  const expect = (token: string) => {
    if (!text.startsWith(token, p)) fail();
    p += token.length;
  };
  const string = (): string => {
    expect('"');
    let value = "";
    for (;;) {
      const c = text[p] ?? fail();
      p++;
      if (c === '"') return value;
      if (c < " ") fail();
      if (c !== "\\") {
        value += c;
        continue;
      }
      const e = text[p++] ?? fail();
      const at = 'bfnrt"\\/'.indexOf(e);
      if (e === "u") {
        const digits = text.slice(p, p + 4);
        if (!/^[\da-f]{4}$/i.test(digits)) fail();
        value += String.fromCharCode(Number.parseInt(digits, 16));
        p += 4;
      } else if (at >= 0) value += '\b\f\n\r\t"\\/'[at] as string;
      else fail();
    }
  };
  /** Reads items with commas between them, in brackets. */
  const between = (open: string, close: string, item: () => void) => {
    expect(open);
    space();
    if (text[p] === close) return expect(close);
    for (;;) {
      space();
      item();
      space();
      if (text[p] !== ",") return expect(close);
      p++;
    }
  };
  const object = (): JsonObject => {
    const start = p;
    const members: Array<readonly [string, Json]> = [];
    const spelled: string[] = [];
    const values: string[] = [];
    between("{", "}", () => {
      const nameAt = p;
      const name = string();
      const nameText = text.slice(nameAt, p);
      space();
      expect(":");
      space();
      const valueAt = p;
      const value = any();
      members.push([name, value]);
      values.push(text.slice(valueAt, p));
      spelled.push(`${nameText}:${text.slice(valueAt, p)}`);
    });
    return new JsonObject(members, spelled, text.slice(start, p), values);
  };
  const list = (): Json[] => {
    const items: Json[] = [];
    const spelled: string[] = [];
    spelledItems.set(items, spelled);
    between("[", "]", () => {
      const start = p;
      items.push(any());
      spelled.push(text.slice(start, p));
    });
    return items;
  };
  const any = (): Json => {
    const c = text[p];
    if (c === "{") return object();
    if (c === "[") return list();
    if (c === '"') return string();
    for (const [token, value] of [
      ["null", null],
      ["true", true],
      ["false", false],
    ] as const)
      if (text.startsWith(token, p)) {
        p += token.length;
        return value;
      }
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = p;
    const [token] = number.exec(text) ?? [fail()];
    p += (token as string).length;
    return /^-?[1-9]\d{15,4095}$/.test(token as string) ? BigInt(token as string) : Number(token);
  };
  space();
  const value = any();
  space();
  if (p < text.length) fail();
  return value;
}

/** A number by its digits and its power of ten, however it is spelled. */
export function canonicalNumber(spelled: string): string {
  const [, sign, whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(spelled) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const exponent = Number(power) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${sign}${significant}e${exponent}`;
}

/** A value as its row is compared: however it is spelled, but for the order of members. */
export function canonical(value: Json, spelled: string): string {
  if (value instanceof JsonObject) return canonicalObject(value);
  if (typeof value === "number" || typeof value === "bigint") return canonicalNumber(spelled);
  if (!Array.isArray(value)) return JSON.stringify(value);
  return `[${value.map((item, at) => canonical(item, spelledItems.get(value)?.[at] as string)).join()}]`;
}

export function canonicalObject({ members, values }: JsonObject): string {
  const texts = members.map(([name, value], at) => `${JSON.stringify(name)}:${canonical(value, values[at] as string)}`);
  return `{${texts.sort().join(",")}}`;
}
