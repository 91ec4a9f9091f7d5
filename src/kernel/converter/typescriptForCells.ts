import type { CellMaps } from "./converter.js";
import { plainBuilder } from "./plainBuilder.js";

/** TypeScript, as tslab brings it. */
export type TypeScript = typeof import("@tslab/typescript-for-tslab");

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/;
const MAP_COMMENT = /\n?\/\/# sourceMappingURL=\S+\s*$/;

/**
 * TypeScript with source maps in the two steps in which tslab converts a cell: TypeScript to JavaScript, and that to
 * CommonJS; with a builder that is quick. tslab fixes all options itself, so they are given where it calls TypeScript.
 */
export function typescriptForCells(original: TypeScript): {
  ts: TypeScript;
  /** The maps of code that was just converted; they are handed out once. */
  mapsOf(output: string): CellMaps | undefined;
} {
  const maps = new Map<string, CellMaps>();
  const builder = plainBuilder(original);
  const createWatchCompilerHost = (files: string[], options: object, sys: object, _: unknown, ...rest: unknown[]) =>
    (original.createWatchCompilerHost as (...all: unknown[]) => unknown)(
      files,
      { ...options, inlineSourceMap: true },
      sys,
      builder,
      ...rest,
    );
  const transpileModule: TypeScript["transpileModule"] = (input, options) => {
    const inline = INLINE_MAP.exec(input);
    const compilerOptions = { ...options.compilerOptions, sourceMap: true };
    const code = inline === null ? input : input.slice(0, inline.index + 1);
    const result = original.transpileModule(code, { ...options, compilerOptions });
    const outputText = result.outputText.replace(MAP_COMMENT, "\n");
    if (inline?.[1] !== undefined && result.sourceMapText !== undefined) {
      const fromTypeScript = Buffer.from(inline[1], "base64").toString();
      maps.set(outputText, { fromCommonJs: result.sourceMapText, fromTypeScript });
    }
    return { ...result, outputText };
  };
  // A copy, since the members of the original cannot be replaced.
  const visitEachChild = withShorthandNames(original);
  const ts = { ...original, createWatchCompilerHost, transpileModule, visitEachChild } as unknown as TypeScript;
  return {
    ts,
    mapsOf(output) {
      const found = maps.get(output);
      maps.clear();
      return found;
    },
  };
}

type VisitEachChild = (node: object, visitor: (child: object) => object | undefined, context: object) => object;

/**
 * tslab puts `exports.` before the names of earlier cells, one by one, and overlooks `{ mindate }`: that name is shown to it as
 * if the cell said `{ mindate: mindate }`.
 */
function withShorthandNames({ visitEachChild, isShorthandPropertyAssignment, factory }: TypeScript): VisitEachChild {
  return (node, visitor, context) =>
    (visitEachChild as unknown as VisitEachChild)(
      node,
      (child) => {
        if (!isShorthandPropertyAssignment(child as never)) return visitor(child);
        const { name, parent, objectAssignmentInitializer } = child as ShorthandProperty;
        if (objectAssignmentInitializer !== undefined) return visitor(child);
        const value = factory.createIdentifier(name.text) as unknown as Placed;
        const written = factory.createPropertyAssignment(name as never, value as never) as unknown as Placed;
        // What the name stands for is looked up from where it stands, and only for what was parsed.
        value.flags = 0;
        value.parent = written;
        written.parent = parent;
        const visited = visitor(value);
        return visited === value ? child : factory.createPropertyAssignment(name as never, visited as never);
      },
      context,
    );
}

interface Placed {
  flags: number;
  parent: object;
}

interface ShorthandProperty {
  readonly name: { readonly text: string };
  readonly parent: object;
  readonly objectAssignmentInitializer?: object;
}
