import type { CellMaps } from "./converter.js";
import { fastBuilder } from "./fastBuilder.js";
import type { DocumentationOf } from "./hiddenDocumentation.js";
import { libraryOfNode } from "./libraryOfNode.js";
import { tslabFunctions } from "./tslabFunctions.js";
import type { TypeScript } from "./typescript.js";

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json[^,]*,(\S+)\s*$/;
/** Options that only tslab's own build of TypeScript knows. */
const CURRENT = { noImplicitUseStrict: undefined, disableTopLevelAwait: undefined };

/** Its line stays, so that the source map remains valid. */
const USE_STRICT = /^"use strict";/;

const MAP_COMMENT = /\n?\/\/# sourceMappingURL=\S+\s*$/;

/**
 * Patches TypeScript for the kernel: source maps for both steps of tslab's conversion (TypeScript to JavaScript, JavaScript to
 * CommonJS), the fast builder, shorthand properties, and the library of the running Node. tslab hard-codes all options, so they
 * are changed in its calls.
 */
export function patchTypeScript(
  original: TypeScript,
  documentationOf: DocumentationOf,
): {
  ts: TypeScript;
  /** Returns the source maps of the last conversion, once. */
  takeMaps(output: string): CellMaps | undefined;
} {
  const maps = new Map<string, CellMaps>();
  const builder = fastBuilder(original);
  const target = original.ScriptTarget.ES2024;
  const createWatchCompilerHost = (files: string[], options: object, sys: object, _: unknown, ...rest: unknown[]) =>
    (original.createWatchCompilerHost as (...all: unknown[]) => unknown)(
      files,
      { ...options, ...CURRENT, target, lib: libraryOfNode(), inlineSourceMap: true },
      sys,
      builder,
      ...rest,
    );
  const transpileModule: TypeScript["transpileModule"] = (input, options) => {
    const inline = INLINE_MAP.exec(input);
    const compilerOptions = { ...options.compilerOptions, ...CURRENT, target, sourceMap: true };
    const code = inline === null ? input : input.slice(0, inline.index + 1);
    const result = original.transpileModule(code, { ...options, compilerOptions });
    const outputText = result.outputText.replace(MAP_COMMENT, "\n").replace(USE_STRICT, "");
    if (inline?.[1] !== undefined && result.sourceMapText !== undefined) {
      const fromTypeScript = Buffer.from(inline[1], "base64").toString();
      maps.set(outputText, { fromCommonJs: result.sourceMapText, fromTypeScript });
    }
    return { ...result, outputText };
  };
  const visitEachChild = withShorthandNames(original);
  // A copy: the members of the original are read-only.
  const patches = {
    ...tslabFunctions(original, documentationOf),
    createWatchCompilerHost,
    transpileModule,
    visitEachChild,
  };
  const ts = { ...original, ...patches } as unknown as TypeScript;
  return {
    ts,
    takeMaps(output) {
      const found = maps.get(output);
      maps.clear();
      return found;
    },
  };
}

type VisitEachChild = (node: object, visitor: (child: object) => object | undefined, context: object) => object;

/**
 * tslab prefixes the names of earlier cells with `exports.` but misses shorthand properties: `{ mindate }` is presented to it
 * as `{ mindate: mindate }`.
 */
function withShorthandNames({ visitEachChild, isShorthandPropertyAssignment, factory }: TypeScript): VisitEachChild {
  return (node, visitor, context) =>
    (visitEachChild as unknown as VisitEachChild)(
      node,
      (child) => {
        if (!isShorthandPropertyAssignment(child as never)) return visitor(child);
        const { name, parent, objectAssignmentInitializer } = child as ShorthandProperty;
        if (objectAssignmentInitializer !== undefined) return visitor(child);
        const value = factory.createIdentifier(name.text) as unknown as MutableNode;
        const assignment = factory.createPropertyAssignment(name as never, value as never) as unknown as MutableNode;
        // Symbols are resolved through `parent`, and only for parsed nodes, which have no synthesized flag.
        value.flags = 0;
        value.parent = assignment;
        assignment.parent = parent;
        const visited = visitor(value);
        return visited === value ? child : factory.createPropertyAssignment(name as never, visited as never);
      },
      context,
    );
}

interface MutableNode {
  flags: number;
  parent: object;
}

interface ShorthandProperty {
  readonly name: { readonly text: string };
  readonly parent: object;
  readonly objectAssignmentInitializer?: object;
}
