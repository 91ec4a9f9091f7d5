// JSON by the book (RFC 8259), written for the tests of the page scanner: slow, plain, and exact for integers of any size.

/** A JSON value. Integers of 16 digits or more are bigint; objects are lists of members, so that repeated names are seen. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export class JsonObject {
  constructor(
    readonly members: ReadonlyArray<readonly [name: string, value: Json]>,
    /** The name and the value of each member as spelled. */
    readonly names: readonly string[],
    readonly values: readonly string[],
    readonly text: string,
    /** As rows are compared: as spelled, but for the order of members and white space. */
    readonly canonical: string,
  ) {}

  /** The last member of a name wins, at the place of the first; as in every JavaScript object, names that are indexes come first. */
  get entries(): Map<string, Json> {
    const all = new Map(this.members);
    const names = Object.keys(Object.fromEntries([...all.keys()].map((name) => [name, 0])));
    // A literal `__proto__` is an own member, too.
    return new Map(names.map((name) => [name, all.get(name) as Json]));
  }
}

type Parsed = readonly [value: Json, canonical: string];

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
  const object = (): Parsed => {
    const start = p;
    const members: Array<readonly [string, Json]> = [];
    const names: string[] = [];
    const values: string[] = [];
    const texts: string[] = [];
    between("{", "}", () => {
      const nameAt = p;
      const name = string();
      names.push(text.slice(nameAt, p));
      space();
      expect(":");
      space();
      const valueAt = p;
      const [value, canonical] = any();
      members.push([name, value]);
      values.push(text.slice(valueAt, p));
      texts.push(`${names.at(-1)}:${canonical}`);
    });
    const canonical = `{${texts.sort().join(",")}}`;
    return [new JsonObject(members, names, values, text.slice(start, p), canonical), canonical];
  };
  const list = (): Parsed => {
    const items: Parsed[] = [];
    between("[", "]", () => items.push(any()));
    return [items.map(([value]) => value), `[${items.map(([, canonical]) => canonical).join()}]`];
  };
  const any = (): Parsed => {
    if (text[p] === "{") return object();
    if (text[p] === "[") return list();
    const start = p;
    const value = scalar();
    return [value, text.slice(start, p)];
  };
  const scalar = (): Json => {
    if (text[p] === '"') return string();
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
  const [value] = any();
  space();
  if (p < text.length) fail();
  return value;
}
