/** Parts of the library after ES2023 that versions of Node have or lack, each with a feature that tells. */
const FEATURES: ReadonlyArray<readonly [library: string, owner: object, name: PropertyKey]> = [
  ["es2024.arraybuffer", ArrayBuffer.prototype, "transfer"],
  ["es2024.collection", Map, "groupBy"],
  ["es2024.object", Object, "groupBy"],
  ["es2024.promise", Promise, "withResolvers"],
  ["es2024.sharedmemory", Atomics, "waitAsync"],
  ["es2024.string", String.prototype, "isWellFormed"],
  ["esnext.array", Array, "fromAsync"],
  ["esnext.collection", Set.prototype, "union"],
  ["esnext.disposable", Symbol, "asyncDispose"],
  ["esnext.error", Error, "isError"],
  ["esnext.float16", Math, "f16round"],
  ["esnext.iterator", globalThis, "Iterator"],
  ["esnext.promise", Promise, "try"],
];

/**
 * TypeScript's library files for the running Node.
 *
 * @example
 * libraryOfNode(); //=> ["lib.es2023.d.ts", "lib.es2024.object.d.ts", …] in Node 22
 */
export function libraryOfNode(): string[] {
  const found = FEATURES.filter(([, owner, name]) => name in owner).map(([library]) => library);
  return ["es2023", ...found].map((library) => `lib.${library}.d.ts`);
}
