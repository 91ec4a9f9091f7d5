import { describe, expect, it } from "vitest";
import { type SourceImport, sourceFiles, sourceImports } from "./sourceImports.js";

/** Which rooms a room may import besides itself; "" is the files beside the rooms, the client among them. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  service: [],
  embedded: [],
  disk: ["service"],
  snapshots: ["service", "disk"],
  frames: ["service"],
  files: ["frames", "service", "disk", "snapshots"],
  calls: ["service", "frames", "files", "snapshots"],
  scan: ["calls", "service", "frames", "files", "snapshots"],
  speeches: ["calls", "service", "frames", "files", "snapshots"],
  notebook: ["frames", "files", "snapshots", "service", "calls", "disk"],
  "": ["speeches", "scan", "calls", "service", "frames", "files", "snapshots", "embedded"],
  cli: ["", "notebook", "speeches", "scan", "calls", "service", "frames", "files", "snapshots", "disk", "embedded"],
};

const imports = sourceImports();

describe("the imports of src", () => {
  it("are found", () => {
    expect(imports.length).toBeGreaterThan(100);
    const known = new Set(sourceFiles());
    expect(imports.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it("know every room", () => {
    const rooms = new Set(sourceFiles().map(room));
    expect(
      [...rooms].filter((name) => !(name in ALLOWED)),
      "a room that ALLOWED says nothing of",
    ).toEqual([]);
  });

  it("run in one direction", () => {
    const wrong = imports.filter(({ from, to }) => room(from) !== room(to) && !ALLOWED[room(from)]?.includes(room(to)));
    expect(wrong.map(shown)).toEqual([]);
  });

  it("take the embedded archive by its index only", () => {
    const wrong = imports.filter(
      ({ from, to }) => room(from) !== "embedded" && room(to) === "embedded" && to !== "embedded/index.ts",
    );
    expect(wrong.map(shown)).toEqual([]);
  });

  it("never go in circles", () => {
    expect(circle(imports.filter(({ typeOnly }) => !typeOnly))).toBeUndefined();
  });
});

function room(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

function shown({ from, to }: SourceImport): string {
  return `${from} imports ${to}`;
}

/** The files of a circle, in order, the first one again at the end; undefined where there is none. */
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
