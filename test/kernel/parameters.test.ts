import { describe, expect, it } from "vitest";
import { parseParameters, withParameters } from "../../src/kernel/headless/parameters.js";
import type { Notebook, NotebookCell } from "../notebook/notebookFiles.js";

const code = (source: string, ...tags: string[]): NotebookCell => ({
  cell_type: "code",
  metadata: { tags },
  source,
  outputs: [],
  execution_count: null,
});
const notebookOf = (...cells: NotebookCell[]): Notebook => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 });

const DEFAULTS =
  'let year = 2020;\nlet query = "climate", list: unknown[] = [];\nconst name: string = [].join();\nlet großes = `a`';
const notebook = notebookOf(
  { cell_type: "markdown", source: "# {{query}} in {{year}}, {{list}}, {{unknown}}" },
  code(DEFAULTS, "x", "parameters"),
  code("query"),
);
const sources = ({ cells }: Notebook) => cells.map(({ source }) => source);

describe("parameters of the command line", () => {
  it.each([
    ["year=2024", 2024],
    ["list=[2022,2023]", [2022, 2023]],
    ["list=open", "open"],
    ["query=5376", "5376"],
    ['query="climate change"', '"climate change"'],
    ["query=a=b", "a=b"],
    ["query=", ""],
    ["name=null", "null"],
    ["großes=1", "1"],
  ])("%s", (text, value) => {
    expect(Object.values(parseParameters([text], notebook))).toEqual([value]);
  });

  it.each(["year", "=1"])("rejects %j", (text) => {
    expect(() => parseParameters([text], notebook)).toThrow(/invalid param\b.*--param year=2024/);
  });
});

describe("withParameters", () => {
  it("injects a cell after the tagged one, in place of an earlier one, and fills headings", () => {
    const before = structuredClone(notebook);
    const result = withParameters(notebook, { query: 'a "quoted"\n', list: [null, { a: 1 }] });
    const injected = 'let query = "a \\"quoted\\"\\n";\nlet list = [null,{"a":1}];';
    const heading = '# a "quoted"\n in 2020, ,[object Object], {{unknown}}';
    expect(sources(result)).toEqual([heading, DEFAULTS, injected, "query"]);
    expect(result.cells[2]).toMatchObject({ cell_type: "code", metadata: { tags: ["injected-parameters"] } });
    expect(sources(withParameters(result, { year: 1 }))[2]).toBe("let year = 1;");
    expect(sources(withParameters(notebook, {}))[0]).toBe("# climate in 2020, {{list}}, {{unknown}}");
    expect(notebook).toEqual(before);
  });

  it.each([
    [notebook, { yeer: 1 }, /parameter of the notebook.*yeer.*year/],
    [notebook, { year: () => 1 }, /invalid parameter year/],
    [notebookOf(code("let year = 2020;")), { year: 1 }, /invalid parameter: "year"\. Tag the cell .* "parameters"/],
  ])("rejects what it cannot set", (target, parameters, message) => {
    expect(() => withParameters(target, parameters)).toThrow(message);
  });
});
