import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkedOptions, invalid, nonNegativeInteger } from "../errors/validators.js";
import { sourcesOf } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { writeFileAtomic } from "../fs/writeFileAtomic.js";
import { Captions } from "../text/captions.js";
import { compilePatterns, type Pattern } from "../text/pattern.js";
import { textsOf, timesOf } from "../text/source/columns.js";
import { seededRandom } from "../util/seededRandom.js";
import type { Codebook } from "./codebook.js";
import { checkPassages, passagesOf, rowKeys } from "./passages.js";

/** What a coding page may hide. */
const BLIND = ["person", "party", "program", "time"] as const;

/** Options of {@link codingPage}. */
export interface CodingPageOptions {
  /** The names of the coders; each gets a page. Default `["A"]`. */
  coders?: readonly string[] | undefined;
  /** Passages that every coder gets, to measure agreement; the others are divided among them. Default: all passages. */
  overlap?: number | undefined;
  /** Passages of the same program to show before and after each one, as far as `neighbors` has them. Default 0. */
  context?: number | undefined;
  /** Where to look for the passages of `context`: for example all mentions of a corpus. Default: the sample. */
  neighbors?: PolarsFrame | undefined;
  /** What coders must not see: the speaker, the party, the program or the time. It is left out of the file. Default: nothing. */
  blind?: readonly ("person" | "party" | "program" | "time")[] | undefined;
  /** Phrases or regular expressions to mark in the passages. Default: the words of the search that the sample comes from. */
  mark?: Pattern | readonly Pattern[] | undefined;
  /** Start of the random numbers that order and divide the passages. Default 1. */
  seed?: number | undefined;
}

const OPTIONS = ["coders", "overlap", "context", "neighbors", "blind", "mark", "seed"];
const CODER = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u;
const MAX_CONTEXT = 20;

/**
 * Writes a coding page for each coder: one HTML file that works offline, in any browser, by keyboard alone. It saves what was coded in the
 * browser, and exports a CSV file that {@link readCodes} reads. The passages come in random order, the ones that every coder has first.
 *
 * @param sample a polars frame of mentions, for example of `archive.sample`
 * @param book what to code
 * @param directory where to write the pages, and the codebook
 * @param options coders, overlap, context and what to hide
 * @returns the paths of the pages
 * @throws ValidationError for invalid arguments, FileError if a file cannot be written
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
  const given = checkedOptions(options, OPTIONS, "option of codingPage");
  const frame = checkPassages("sample", sample);
  if (frame.height === 0) throw invalid("sample", "a frame without rows", "Give a sample with at least one passage.");
  const coders = checkCoders(given.coders ?? ["A"]);
  const overlap = Math.min(nonNegativeInteger("overlap", given.overlap ?? frame.height, 100), frame.height);
  const context = nonNegativeInteger("context", given.context ?? 0, 2);
  if (context > MAX_CONTEXT) throw invalid("context", context, `Give a number up to ${MAX_CONTEXT}.`);
  const blind = checkBlind(given.blind ?? []);
  const marked = markedTexts(frame, given.mark ?? searchedPhrases(frame));
  const around = contexts(frame, checkPassages("neighbors", given.neighbors ?? frame), context);
  const passages = passagesOf(frame).map((passage, at) => ({
    row: passage.row,
    text: marked[at],
    ...around[at],
    ...(!blind.has("person") && { person: passage.person }),
    ...(!blind.has("party") && { party: passage.party }),
    ...(!blind.has("program") && { program: passage.programTitle, link: passage.link }),
    ...(!blind.has("time") && { time: passage.begintime }),
  }));
  const order = shuffled(frame.height, nonNegativeInteger("seed", given.seed ?? 1, 1));
  const rest = order.slice(overlap);
  writeFileAtomic(join(directory, `codebook-${book.hash}.json`), `${JSON.stringify(book, null, 2)}\n`);
  return coders.map((coder, at) => {
    const own = [...order.slice(0, overlap), ...rest.filter((_row, place) => place % coders.length === at)];
    const path = join(directory, `${coder}.html`);
    writeFileAtomic(path, pageHtml({ coder, book, passages: own.map((row) => passages[row]) }));
    return path;
  });
}

function checkCoders(coders: readonly string[]): readonly string[] {
  if (!Array.isArray(coders) || coders.length === 0) throw invalid("coders", coders, 'Give names: ["A", "B"].');
  const wrong = coders.find((coder) => typeof coder !== "string" || !CODER.test(coder));
  if (wrong !== undefined)
    throw invalid("coder", wrong, "Give a name of up to 40 letters, digits, spaces, dots, underscores and hyphens.");
  const names = coders.map((coder) => coder.toLowerCase());
  const repeated = coders.find((_coder, at) => names.indexOf(names[at] as string) < at);
  if (repeated !== undefined) throw invalid("coders", repeated, "Give every coder once.");
  return coders;
}

function checkBlind(blind: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(blind)) throw invalid("blind", blind, 'Give a list, for example ["person", "party"].');
  const wrong = blind.find((name) => !(BLIND as readonly string[]).includes(name));
  if (wrong !== undefined) throw invalid("blind", wrong, `Give some of ${BLIND.join(", ")}.`);
  return new Set(blind);
}

/** The phrases and words of the searches that rows come from. */
function searchedPhrases(frame: PolarsFrame): readonly string[] {
  const provenance = provenanceOf(frame);
  const queries = provenance === undefined ? [] : sourcesOf(provenance).map(({ parameters }) => parameters.query ?? "");
  const phrases = queries.flatMap((query) =>
    [...query.matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, phrase, word]) => phrase ?? word ?? ""),
  );
  return [...new Set(phrases)].filter((phrase) => /[\p{L}\p{N}]/u.test(phrase) && !/^(?:AND|OR|NOT)$/.test(phrase));
}

/** Each text in pieces, of which every second one is marked. */
function markedTexts(frame: PolarsFrame, patterns: Pattern | readonly Pattern[]): readonly (readonly string[])[] {
  const captions = new Captions(textsOf(frame, "text"));
  const spans = captions.texts.map((): [number, number][] => []);
  const isNone = Array.isArray(patterns) && patterns.length === 0;
  for (const { find } of isNone ? [] : compilePatterns(patterns))
    find(captions, (at, start, end) => spans[at]?.push([start, end]));
  return captions.texts.map((text, at) => {
    const pieces: string[] = [];
    let done = 0;
    for (const [start, end] of (spans[at] ?? []).sort((a, b) => a[0] - b[0])) {
      if (start < done) continue;
      pieces.push((text ?? "").slice(done, start), (text ?? "").slice(start, end));
      done = end;
    }
    return [...pieces, (text ?? "").slice(done)];
  });
}

interface Context {
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** The passages of the same program before and after each row. */
function contexts(frame: PolarsFrame, neighbors: PolarsFrame, count: number): readonly Context[] {
  const rows = rowKeys(frame);
  if (count === 0) return rows.map(() => ({}));
  const [programs, texts, times, keys] = [
    textsOf(neighbors, "programid"),
    textsOf(neighbors, "text"),
    timesOf(neighbors),
    rowKeys(neighbors),
  ];
  const byProgram = new Map<string, number[]>();
  programs.forEach((program, at) => {
    if (program === null || times[at] === null) return;
    const known = byProgram.get(program);
    if (known === undefined) byProgram.set(program, [at]);
    else known.push(at);
  });
  for (const own of byProgram.values()) own.sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
  const place = new Map(keys.map((key, at) => [key, at]));
  const shown = (at: number) => texts[at] ?? "";
  return rows.map((row) => {
    const at = place.get(row);
    const own = at === undefined ? undefined : byProgram.get(programs[at] ?? "");
    const here = own?.indexOf(at as number) ?? -1;
    if (own === undefined || here < 0) return {};
    return {
      before: own.slice(Math.max(0, here - count), here).map(shown),
      after: own.slice(here + 1, here + 1 + count).map(shown),
    };
  });
}

function shuffled(count: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, at) => ({ at, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ at }) => at);
}

let template: string | undefined;

/** The page with its data. Texts of the archive are JSON in an inert element, and reach the page only as text nodes. */
function pageHtml(data: object): string {
  // Without `<`, nothing in the data can end its element.
  const json = JSON.stringify(data)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  template ??= readTemplate();
  const begin = template.indexOf("<script>") + "<script>".length;
  const script = template.slice(begin, template.indexOf("</script>", begin));
  const hash = createHash("sha256").update(script).digest("base64");
  return template.replace("SCRIPT_HASH", () => hash).replace('"DATA_JSON"', () => json);
}

function readTemplate(): string {
  // src is at the same place seen from src/coding and from dist/coding.
  return readFileSync(new URL("../../src/coding/page.html", import.meta.url), "utf8");
}
