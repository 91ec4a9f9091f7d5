import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkedOptions, invalid, nonNegativeInteger, oneOf } from "../errors/validators.js";
import { sourcesOf } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { userPath } from "../fs/paths.js";
import { outputFile, writeFileAtomic } from "../fs/writeFileAtomic.js";
import { Captions } from "../text/read/captions.js";
import { compilePatterns, type Pattern } from "../text/read/pattern.js";
import { textsOf, timesOf } from "../text/read/textSource.js";
import { seededRandom } from "../util/hash.js";
import { groupBy } from "../util/lists.js";
import type { Codebook } from "./codebook.js";
import { codeRules } from "./codeRules.js";
import { refuseDuplicateNames } from "./codes.js";
import { checkPassages, hashOf, passagesOf, rowKeys, shuffled } from "./passages.js";

/** The columns that the options of `blind` hide. */
const BLIND = { person: ["person"], party: ["party"], program: ["programTitle", "link"], time: ["begintime"] } as const;

/** Options of {@link codingPage}. */
export interface CodingPageOptions {
  /** Names of the coders; each gets a page. Default: `["A"]`. */
  coders?: readonly string[] | undefined;
  /** Passages that every coder gets; the others are divided among them. Default: all passages. */
  overlap?: number | undefined;
  /** Passages of the same program to show before and after each one. Default 0. */
  context?: number | undefined;
  /** Where to look for these passages: for example all mentions of a corpus. Default: the sample. */
  neighbors?: PolarsFrame | undefined;
  /** What coders must not see; it is left out of the file. Default: nothing. */
  blind?: readonly ("person" | "party" | "program" | "time")[] | undefined;
  /** Phrases or regular expressions to mark. Default: the words of the search that the sample comes from. */
  mark?: Pattern | readonly Pattern[] | undefined;
  /** Orders and divides the passages. Default 1. */
  seed?: number | undefined;
}

const OPTIONS = ["coders", "overlap", "context", "neighbors", "blind", "mark", "seed"];
const CODER = /^(?=.{1,40}$)[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*(?<! )$/u;

/**
 * Writes a page for each coder: one HTML file that works offline, by keyboard alone, keeps the codes in the browser, and exports a CSV file
 * for `readCodes`. Passages come in a random order for each coder, the ones that every coder has first.
 *
 * @param sample a frame of mentions, for example of `archive.sample`
 * @param directory for the pages and the codebook
 * @returns the paths of the pages
 * @example
 * const sample = await archive.sample("mentions", "climate", { rows: 100 });
 * const book = codebook({ stance: ["support", "oppose", "neither"] });
 * await codingPage(sample, book, "coding/", { coders: ["A", "B"], overlap: 40 }); //=> ["coding/A.html", "coding/B.html"]
 */
export async function codingPage(
  sample: PolarsFrame,
  book: Codebook,
  directory: string,
  options: CodingPageOptions = {},
): Promise<readonly string[]> {
  const checked = checkedOptions(options, OPTIONS, "option of codingPage");
  const frame = checkPassages("sample", sample);
  refuseDuplicateNames(frame, book);
  const folder = userPath("directory", directory, "coding/");
  if (frame.height === 0) throw invalid("sample", "a frame without rows", "Give a sample with at least one passage.");
  const coders = checkCoders(checked.coders ?? ["A"]);
  const overlap = nonNegativeInteger("overlap", checked.overlap ?? frame.height, 100);
  const context = nonNegativeInteger("context", checked.context ?? 0, 2);
  const names = Object.keys(BLIND) as (keyof typeof BLIND)[];
  const hidden = new Set([checked.blind ?? []].flat().map((what) => oneOf("blind", what, names)));
  const texts = markedTexts(frame, checked.mark ?? searchedPhrases(frame));
  const contextOf =
    context === 0 ? undefined : contextsOf(checkPassages("neighbors", checked.neighbors ?? frame), context);
  const passages = passagesOf(frame).map(({ row, ...cells }, at) => {
    const visible = names
      .filter((what) => !hidden.has(what))
      .flatMap((what): readonly (keyof typeof cells)[] => BLIND[what]);
    const columns = visible.map((name) => [name, cells[name]]);
    return { row, text: texts[at], ...contextOf?.(row), ...Object.fromEntries(columns) };
  });
  const seed = nonNegativeInteger("seed", checked.seed ?? 1, 1);
  const order = shuffled(passages, seededRandom(seed));
  writeFileAtomic(join(folder, `codebook-${book.hash}.json`), `${JSON.stringify(book, null, 2)}\n`);
  return coders.map((coder, at) => {
    const share = order.filter((_passage, place) => place >= overlap && (place - overlap) % coders.length === at);
    const random = seededRandom(Number.parseInt(hashOf(`${seed} ${coder}`).slice(0, 8), 16));
    const path = join(folder, `${coder}.html`);
    const coderPassages = [...shuffled(order.slice(0, overlap), random), ...shuffled(share, random)];
    writeFileAtomic(outputFile(path), pageHtml({ coder, book, passages: coderPassages }));
    return path;
  });
}

function checkCoders(coders: readonly string[]): readonly string[] {
  if (!Array.isArray(coders) || coders.length === 0) throw invalid("coders", coders, 'Give names: ["A", "B"].');
  const wrong = coders.find((coder) => typeof coder !== "string" || !CODER.test(coder));
  if (wrong !== undefined)
    throw invalid("coder", wrong, "Give a name of up to 40 letters, digits, spaces, dots, underscores and hyphens.");
  // File systems may ignore case.
  if (new Set(coders.map((coder) => coder.toLowerCase())).size < coders.length)
    throw invalid("coders", coders, "Give every coder once.");
  return coders;
}

/** The phrases and words of the searches that rows come from. */
function searchedPhrases(frame: PolarsFrame): readonly string[] {
  const provenance = provenanceOf(frame);
  const queries = provenance === undefined ? [] : sourcesOf(provenance).map(({ parameters }) => parameters.query ?? "");
  const phrases = queries
    .flatMap((query) => query.match(/"[^"]+"|[^\s"]+/g) ?? [])
    .map((each) => each.replaceAll('"', ""));
  return [...new Set(phrases)].filter((phrase) => /[\p{L}\p{N}]/u.test(phrase) && !/^(?:AND|OR|NOT)$/.test(phrase));
}

/** Splits each text into pieces, of which every second one is marked. */
function markedTexts(frame: PolarsFrame, patterns: Pattern | readonly Pattern[]): readonly (readonly string[])[] {
  const captions = new Captions(textsOf(frame, "text"));
  const spans = captions.texts.map((): [number, number][] => []);
  const isNone = Array.isArray(patterns) && patterns.length === 0;
  for (const { find } of isNone ? [] : compilePatterns(patterns))
    find(captions, (at, start, end) => spans[at]?.push([start, end]));
  return captions.texts.map((text, at) => {
    const bounds = [0];
    for (const [start, end] of (spans[at] ?? []).sort((a, b) => a[0] - b[0]))
      if (start >= (bounds.at(-1) as number)) bounds.push(start, end);
    return bounds.map((bound, place) => (text ?? "").slice(bound, bounds[place + 1]));
  });
}

/** The passages of the same program before and after a row. */
function contextsOf(neighbors: PolarsFrame, count: number) {
  const [programs, texts, times] = [textsOf(neighbors, "programid"), textsOf(neighbors, "text"), timesOf(neighbors)];
  const keys = rowKeys(neighbors);
  const rows = [...keys.keys()].filter((at) => programs[at] !== null && times[at] !== null);
  rows.sort((a, b) => (times[a] as number) - (times[b] as number));
  const byProgram = groupBy(rows, (at) => programs[at]);
  const place = new Map(keys.map((key, at) => [key, at]));
  return (row: string) => {
    const program = byProgram.get(programs[place.get(row) as number]) ?? [];
    const here = program.indexOf(place.get(row) as number);
    const slice = (from: number, to: number) => program.slice(Math.max(from, 0), to).map((at) => texts[at] ?? "");
    return here < 0 ? {} : { before: slice(here - count, here), after: slice(here + 1, here + 1 + count) };
  };
}

/** The page with its data: JSON in an inert element, which the page shows only as text nodes. */
function pageHtml(data: object): string {
  // Without `<`, nothing in the data can end its element.
  const json = JSON.stringify(data)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  // The relative path is the same from src/coding and dist/coding.
  const template = readFileSync(new URL("../../src/coding/page.html", import.meta.url), "utf8");
  const page = template.replace('"CODE_RULES"', () => String(codeRules));
  const script = page.slice(page.indexOf("<script>") + "<script>".length, page.lastIndexOf("</script>"));
  const hash = createHash("sha256").update(script).digest("base64");
  return page.replace("SCRIPT_HASH", () => hash).replace('"DATA_JSON"', () => json);
}
