import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/index.js";
import { clientTo } from "../client/clientTo.js";
import { runs } from "../scale.js";
import { startScriptedServer } from "../service/scriptedServer.js";

/** Draws numbers below a limit: how a value is spelled, as opposed to which value it is. */
type Draw = (below: number) => number;

/** JSON of a value, with any spelling of its texts, numbers, names and white space, in any order of its members. */
function spell(value: unknown, draw: Draw): string {
  const space = () => ["", "", "", " ", "\n"][draw(5)] as string;
  const list = (parts: readonly string[]) => parts.map((part) => `${space()}${part}${space()}`).join(",");
  if (typeof value === "string") return spellText(value, draw);
  if (typeof value === "number") return spellNumber(value, draw);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${list(value.map((item) => spell(item, draw)))}]`;
  const members = Object.entries(value).map(([name, member]) => ({ name, member, at: draw(100) }));
  members.sort((a, b) => a.at - b.at);
  return `{${list(members.map(({ name, member }) => `${spellText(name, draw)}${space()}:${space()}${spell(member, draw)}`))}}`;
}

function spellText(text: string, draw: Draw): string {
  const units = draw(2) === 0 ? [text] : [...text];
  return `"${units
    .map((unit) => {
      const plain = JSON.stringify(unit).slice(1, -1);
      if (unit === text || draw(3) === 0) return plain;
      if (unit === "/" && draw(2) === 0) return "\\/";
      return unit
        .split("")
        .map((code) => {
          const hex = code.charCodeAt(0).toString(16).padStart(4, "0");
          return `\\u${draw(2) === 0 ? hex : hex.toUpperCase()}`;
        })
        .join("");
    })
    .join("")}"`;
}

function spellNumber(value: number, draw: Draw): string {
  if (value === 0) return ["0", "-0", "0.0", "0e5", "-0.00E-7"][draw(5)] as string;
  const plain = String(value);
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  switch (draw(5)) {
    case 0:
      return `${sign}${whole}.${fraction}${"0".repeat(fraction === "" ? 1 : draw(3))}`;
    case 1:
      return `${sign}${digits}e-${String(fraction.length).padStart(1 + draw(3), "0")}`;
    case 2:
      return `${sign}0.${digits}E+${digits.length - fraction.length}`.replace("+-", "-");
    default:
      return plain;
  }
}

/** A row as it is compared: values as `JSON.parse` returns them, members sorted by name. */
const key = (value: unknown): string =>
  JSON.stringify(value, (_name, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const text = fc.constantFrom(
  "",
  "a",
  "é",
  "a/b",
  'the "Act"\n',
  "😀",
  "e\u0301",
  "\u2028\\u00e9",
  "\ud83d",
  "\ude00",
  "\u0000",
);
const number = fc.oneof(
  fc.constantFrom(0, 1, 10, 100, 0.1, 1.5, -1.5, 12.25, 0.001, 123456789012345, -700),
  fc.integer({ min: -(10 ** 6), max: 10 ** 6 }).map((n) => n / 1000),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("x", "é", "a/b", '"', ""), tie("value"), { maxKeys: 2 }),
  ),
}));
const row = fc.record(
  {
    id: fc.constantFrom<unknown>("1", "2", "10", 1, 10, 1.5, "a/b", "é", null, "", true),
    text,
    length: number,
    begintime: fc.constantFrom("", "2024-04-27T02:35:35Z", "2024-04-27"),
    score: number,
    more: value,
    "odd/né": value,
  },
  { requiredKeys: [] },
);

describe("rows are equal if their JSON values are", () => {
  it("however texts, numbers and names are spelled", async () => {
    const rows: Array<{ row: Record<string, unknown>; spelled: string }> = [];
    const samples = fc.sample(fc.tuple(row, fc.array(fc.infiniteStream(fc.nat(999)), { minLength: 1, maxLength: 3 })), {
      numRuns: runs(600, 6000),
      seed: 11,
    });
    for (const [sample, spellings] of samples) {
      for (const stream of spellings) {
        const draw: Draw = (below) => stream.next().value % below;
        const spelled = spell(sample, draw);
        expect(key(JSON.parse(spelled)), "the spelling has the same value").toBe(key(sample));
        rows.push({ row: sample, spelled });
      }
    }
    // Twins that differ in a single value, and the spellings of some rows once more, in other batches.
    const order = rows.map((_row, at) => (at * 7919) % rows.length);
    const pages = Array.from({ length: 20 }, (_, page) =>
      order.filter((_at, place) => place % 20 === page).map((at) => rows[at] as (typeof rows)[number]),
    );
    const known = new Set<string>();
    const ids = new Set<string>();
    const expected: string[] = [];
    let conflicts = 0;
    for (const { row: each } of pages.flat()) {
      if (known.has(key(each))) continue;
      known.add(key(each));
      expected.push(key(each));
      if (each.id === undefined || each.id === null || each.id === "") continue;
      if (ids.has(String(each.id))) conflicts++;
      ids.add(String(each.id));
    }
    await using server = await startScriptedServer((_request, index) => ({
      body: `{"cursor":"${index + 1}","mentions":[${(pages[index] ?? []).map(({ spelled }) => spelled).join(",")}]}`,
    }));
    await using archive = clientTo(server);
    const records = await archive.mentions("x", { maxItems: 1e6, format: "records" });
    expect(records.map(key)).toEqual(expected);
    expect(provenanceOf(records)).toMatchObject({ duplicates: rows.length - expected.length, conflicts });
  });

  it("and numbers by all of their digits", async () => {
    const numbers = [
      ["9007199254740992", "9007199254740993", "9.007199254740992e15"],
      ["0.1", "0.1000000000000000055511151231257827", "1E-1", "0.10"],
      ["123456789012345678901234567890", "12345678901234567890123456789e1", "123456789012345678901234567891"],
      ["1e400", "1e401", "10e399", "-1e400"],
      ["1e99999999999999999999", "1e99999999999999999998", "1E+0001", "10.0"],
    ];
    const different = [2, 2, 2, 3, 3];
    await using server = await startScriptedServer((_request, index) => ({
      body: `{"cursor":"${index + 1}","mentions":[${(numbers[index] ?? []).map((spelled) => `{"id":"${index}","n":[${spelled}]}`).join(",")}]}`,
    }));
    await using archive = clientTo(server);
    const records = await archive.mentions("x", { maxItems: 100, format: "records" });
    expect(different.map((_count, page) => records.filter(({ id }) => id === String(page)).length)).toEqual(different);
  });
});
