import { createRequire } from "node:module";

/** The compiler. An `import` of it would take a second in every test file, because Node looks for names in its nine megabytes. */
export const ts: typeof import("typescript") = createRequire(import.meta.url)("typescript");
