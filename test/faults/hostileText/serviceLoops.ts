import { knownKeys, show } from "../../../src/errors/validators.js";
import { operations } from "../../../src/index.js";
import { isMetadata, NextCursor } from "../../../src/pages/metadata.js";
import { declaredShape } from "../../../src/pages/rows.js";
import { scanPage } from "../../../src/pages/scanPage.js";
import { parseRetryAfter } from "../../../src/service/http/retryAfter.js";
import { Secret } from "../../../src/service/http/secret.js";
import { clip } from "../../../src/util/quoted.js";
import { bodies, hostileTexts } from "./hostileTexts.js";
import type { Loop } from "./loop.js";

const KEY = 'k3y-"/\\with=odd&signs';
const key = new Secret(KEY);
const shape = declaredShape(operations.mentions.columns);

/** Texts that repeat the beginning of the key, in several encodings. */
const almostKeys = (size: number): string[] =>
  ["k3y-", 'k3y-"', 'k3y-\\"', "k3y-%22", "k3y-&quot;", "k3y-&#0000", "k3y-\\u00", "%6b", "&#x0"].flatMap((unit) => [
    unit.repeat(size / unit.length),
    JSON.stringify({ a: unit.repeat(size / unit.length) }),
    `{"a":"${"\\".repeat(2)}${unit.replace(/["\\]/g, "").repeat(size / unit.length)}","k":"${"x".repeat(9)}"}`,
  ]);

export const serviceLoops: readonly Loop[] = [
  { name: "Secret.redact", regexesOf: ["service/http/secret.ts"], texts: almostKeys, run: (text) => key.redact(text) },
  { name: "Secret.redact on any text", run: (text) => key.redact(text) },
  { name: "Secret.redactBody", texts: almostKeys, run: (text) => key.redactBody(Buffer.from(text)) },
  { name: "parseRetryAfter", regexesOf: ["service/http/retryAfter.ts"], run: (text) => parseRetryAfter(text, 0) },
  {
    name: "NextCursor",
    run: (text) => [NextCursor.mayConcern(text), isMetadata(text), new NextCursor().add("next", `?${text}`)],
  },
  { name: "show", run: (text) => [show(text), show({ [text]: text }), clip(text, 80)] },
  { name: "knownKeys", run: (text) => knownKeys({ [text]: 1 }, ["query", "limit"], "option") },
  { name: "a Lucene query", run: (text) => operations.programsSearch.parameters.query.check("query", text) },
  {
    name: "a Lucene query with dates",
    texts: (size) =>
      [
        "date:",
        "date:[",
        "date:(",
        "date:([",
        "date:{ ",
        "date ",
        "date\t:\n",
        'date:"',
        "date:[ TO",
        "date:(x [y] ",
        '"\\',
      ].map((unit) => unit.repeat(size / unit.length)),
    run: (text) => operations.programsSearch.parameters.query.check("query", text),
  },
  {
    name: "scanPage",
    texts: bodies,
    run: (text) => scanPage(Buffer.from(text), "mentions", shape),
  },
  { name: "scanPage of any text", texts: hostileTexts, run: (text) => scanPage(Buffer.from(text), "mentions", shape) },
];
