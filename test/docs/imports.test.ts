import { describe, expect, it } from "vitest";
import { type SourceImport, sourceFiles, sourceImports } from "./sourceImports.js";

/** Which modules a module may import besides itself; `src` stands for the files directly in it, the client among them. */
const ALLOWED: Readonly<Record<string, string>> = {
  util: "",
  errors: "util",
  fs: "errors util",
  pages: "util",
  service: "pages errors util",
  frames: "service pages errors util",
  responses: "service fs errors util",
  tables: "frames fs errors util",
  files: "tables frames service pages fs errors util",
  call: "members responses files frames service pages errors util",
  scan: "call responses files frames service fs errors util",
  members: "frames service pages fs errors util",
  // Types alone: those of the rows that it serves, and of its members of Congress.
  embedded: "members service errors util",
  speeches: "members call files frames service pages errors util",
  text: "members frames service errors util",
  coding: "tables text frames fs errors util",
  corpus: "tables call files frames service pages fs errors util",
  notebook: "text call frames service fs errors util",
  kernel: "notebook call service fs errors util",
  src: "kernel notebook tables speeches members scan call responses files frames service errors util embedded",
  fleet: "src call frames service fs errors util",
  cli: "src fleet corpus kernel notebook scan call responses files tables frames service fs errors util embedded",
};

const imports = sourceImports();

describe("the imports of src", () => {
  it("are found", () => {
    expect(imports.length).toBeGreaterThan(100);
    const known = new Set(sourceFiles());
    expect(imports.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it("cover every module", () => {
    const modules = new Set(sourceFiles().map(moduleOf));
    expect(
      [...modules].filter((name) => !(name in ALLOWED)),
      "a module that ALLOWED does not list",
    ).toEqual([]);
  });

  it("run in one direction", () => {
    const wrong = imports.filter(
      ({ from, to }) => moduleOf(from) !== moduleOf(to) && !ALLOWED[moduleOf(from)]?.split(" ").includes(moduleOf(to)),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("are all that the table allows", () => {
    const used = new Set(imports.map(({ from, to }) => `${moduleOf(from)} imports ${moduleOf(to)}`));
    const allowed = Object.entries(ALLOWED).flatMap(([name, others]) =>
      (others.match(/\w+/g) ?? []).map((other) => `${name} imports ${other}`),
    );
    expect(allowed.filter((each) => !used.has(each))).toEqual([]);
  });

  it("reach the embedded archive only through its index, and its name and members through its data", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        moduleOf(from) !== "embedded" &&
        moduleOf(to) === "embedded" &&
        to !== "embedded/index.ts" &&
        !(from === "openArchive.ts" && to === "embedded/data.ts"),
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("never go in circles, type-only imports included", () => {
    expect(circle(imports)).toBeUndefined();
  });
});

function moduleOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "src";
}

function shown({ from, to }: SourceImport): string {
  return `${from} imports ${to}`;
}

/** The files of a circle, in order, the first one again at the end; undefined if there is none. */
function circle(edges: readonly SourceImport[]): string | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const follow = (file: string, trail: readonly string[]): string | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file].join(" → ");
    if (done.has(file)) return undefined;
    for (const target of next.get(file) ?? []) {
      const found = follow(target, [...trail, file]);
      if (found !== undefined) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const found = follow(file, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
