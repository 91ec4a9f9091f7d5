import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type EmbeddedArchive, startEmbeddedArchive } from "../../src/embedded/index.js";
import { ask, type Query } from "./support.js";

const QUESTIONS: readonly (readonly [string, Query])[] = [
  ["/mentions", { query: "climate", limit: 100 }],
  ["/bills", { query: "budget" }],
  ["/people", { query: "senator" }],
  ["/programs/search", { query: "text:climate AND category:Senate" }],
  ["/programs/683870", {}],
];

async function answers(archive: EmbeddedArchive, questions = QUESTIONS): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [path, query] of questions) texts.set(path, (await ask(archive, path, query)).text);
  return texts;
}

test("the same seed gives the same bytes in any order of requests; another seed gives others", async () => {
  await using one = await startEmbeddedArchive({ seed: 42, size: 500 });
  await using three = await startEmbeddedArchive({ seed: 43, size: 500 });
  // Behind another archive, because the data of the last one are kept.
  await using two = await startEmbeddedArchive({ seed: 42, size: 500 });
  const back = await answers(two, [...QUESTIONS].reverse());
  const other = await answers(three);
  for (const [path, text] of await answers(one)) {
    expect(back.get(path)).toBe(text);
    expect(other.get(path)).not.toBe(text);
  }
});

test("the corpus of the default seed has not changed", async () => {
  await using archive = await startEmbeddedArchive({ size: 1_000 });
  const hash = createHash("sha256");
  for (const text of (await answers(archive)).values()) hash.update(text);
  expect(hash.digest("hex").slice(0, 16)).toMatchInlineSnapshot(`"8cbd55e329c5f33d"`);
});
