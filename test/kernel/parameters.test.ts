// biome-ignore-all lint/suspicious/noTemplateCurlyInString: cells are strings here.
import { describe, expect, it } from "vitest";

import { codeCell, parseParameter, withParameters } from "../../src/kernel/headless/parameters.js";
import type { Notebook } from "../../src/notebook/index.js";

function notebook(...tags: string[][]): Notebook {
  const empty: Notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  return { ...empty, cells: tags.map((tag, at) => ({ ...codeCell(empty, `cell ${at}`, tag), id: `id-${at}` })) };
}

const PARAMETERS = 'let year = 2020;\nlet query = "climate", list: unknown[] = [];';

const sources = ({ cells }: Notebook) => cells.map(({ source }) => source);

describe("parseParameter", () => {
  it.each([
    ["year=2024", ["year", 2024]],
    ["years=[2022,2023]", ["years", [2022, 2023]]],
    ["query=climate", ["query", "climate"]],
    ["query=a=b", ["query", "a=b"]],
    ['query="2024"', ["query", "2024"]],
    ["open=", ["open", ""]],
    ["none=null", ["none", null]],
    ["date=2024-01-01", ["date", "2024-01-01"]],
    ["großes=1", ["großes", 1]],
  ])("%s", (text, parameter) => {
    expect(parseParameter(text)).toEqual(parameter);
  });

  it.each(["year", "=1", "1a=2", "a b=2", "class=1", "await=1", "a;b=1", "a.b=1"])("rejects %j", (text) => {
    expect(() => parseParameter(text)).toThrow(/invalid (param|parameter)\b/);
  });
});

describe("withParameters", () => {
  it("injects a cell after the tagged one", () => {
    const given = notebook([], ["x", "parameters"], []);
    Object.assign(given.cells[1] as object, { source: PARAMETERS });
    const result = withParameters(given, { year: 2024, query: 'a "quoted"\n`${text}`', list: [null, { a: 1 }] });
    expect(sources(result)).toEqual([
      "cell 0",
      PARAMETERS,
      'let year = 2024;\nlet query = "a \\"quoted\\"\\n`${text}`";\nlet list = [null,{"a":1}];',
      "cell 2",
    ]);
    expect(result.cells[2]).toMatchObject({
      cell_type: "code",
      metadata: { tags: ["injected-parameters"] },
      id: expect.any(String),
    });
    expect(given.cells).toHaveLength(3);
  });

  it("rejects a name that the tagged cell does not declare, and suggests one", () => {
    const given = notebook(["parameters"], []);
    Object.assign(given.cells[0] as object, { source: [PARAMETERS] });
    expect(() => withParameters(given, { yeer: 2024 })).toThrow(/parameter of the notebook.*yeer.*year/);
    expect(() => withParameters(given, { year: 1, nothing: 2 })).toThrow(/parameter of the notebook.*nothing/);
  });

  it("injects it first if no cell is tagged, and replaces one injected earlier", () => {
    const once = withParameters(notebook([], []), { a: 1 });
    expect(sources(once)).toEqual(["let a = 1;", "cell 0", "cell 1"]);
    expect(sources(withParameters(once, { a: 2 }))).toEqual(["let a = 2;", "cell 0", "cell 1"]);
    expect(withParameters(once, {})).toBe(once);
  });

  it("sets an id only if the notebook format has ids", () => {
    expect(withParameters({ ...notebook([]), nbformat_minor: 4 }, { a: 1 }).cells[0]).not.toHaveProperty("id");
  });

  it.each([
    [{ "a b": 1 }, /invalid parameter: "a b"/],
    [{ x: undefined }, /invalid parameter x/],
    [{ x: () => 1 }, /invalid parameter x/],
  ])("rejects %j", (parameters, message) => {
    expect(() => withParameters(notebook([]), parameters)).toThrow(message);
  });
});
