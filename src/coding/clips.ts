import { checkedOptions, invalid, nonEmptyString } from "../errors/validators.js";
import { methodsOf } from "../files/package/methodsOf.js";
import { saveFrame } from "../files/saveFrame.js";
import { type PolarsFrame, pl } from "../frames/polars.js";
import { provenanceOf } from "../frames/provenanceOf.js";
import { userPath } from "../fs/userPath.js";
import { outputFile, writeFileAtomic } from "../fs/writeFileAtomic.js";
import { escapeHtml, printableLines } from "../notebook/display/displayText.js";
import { REPORT_CSS } from "../notebook/report/reportCss.js";
import { textsOf } from "../text/source/columns.js";
import { checkPassages, passagesOf } from "./passages.js";

/** Options of {@link clips}. */
export interface ClipsOptions {
  /** The heading of the page: the claim that the passages show. Default "Passages". */
  title?: string | undefined;
  /** A column whose values become sections, for example `"party"`. Default: none. */
  by?: string | undefined;
  /** A column to sort by within sections. Default `"begintime"`. */
  sort?: string | undefined;
}

/**
 * Writes passages as evidence for a claim: an HTML page with text, speaker, program, date and a link to the video at the second, and a CSV file with the same
 * rows beside it. The page ends with the methods paragraph. It loads nothing and runs no scripts.
 *
 * @param passages a polars frame of mentions, for example filtered codes
 * @param path of the page; it ends with .html
 * @param options heading, sections and order
 * @returns the paths of the page and of the CSV file
 * @throws ValidationError for invalid arguments, ArchiveError if a file cannot be written
 * @example
 * await clips(codes.filter(pl.col("stance").eq(pl.lit("oppose"))), "oppose.html", { by: "party" }); //=> ["oppose.html", "oppose.csv"]
 */
export async function clips(
  passages: PolarsFrame,
  path: string,
  options: ClipsOptions = {},
): Promise<readonly string[]> {
  const given = checkedOptions(options, ["title", "by", "sort"], "option of clips");
  const frame = checkPassages("passages", passages);
  const target = userPath("path", path, "oppose.html");
  if (!/\.html$/i.test(target))
    throw invalid("path", path, 'Give a file that ends with .html, for example "oppose.html".');
  const { by, sort } = given;
  const title = nonEmptyString("title", given.title ?? "Passages");
  for (const [option, name] of Object.entries({ by, sort }))
    if (name !== undefined && !frame.columns.includes(name))
      throw invalid(option, name, `Give one of ${frame.columns.join(", ")}.`);
  const order = [by ?? [], sort ?? frame.columns.filter((name) => name === "begintime")]
    .flat()
    .map((name) => pl.col(name));
  const sorted = order.length === 0 ? frame : frame.sort({ by: order, maintainOrder: true, nullsLast: true });
  const table = target.replace(/\.html$/i, ".csv");
  writeFileAtomic(outputFile(target), pageHtml(sorted, title, by));
  await saveFrame(sorted, table, { bom: true, excelSafe: true });
  return [target, table];
}

function pageHtml(frame: PolarsFrame, title: string, by: string | undefined): string {
  const sections = by === undefined ? [] : textsOf(frame, by).map((text) => text ?? "unknown");
  const parts = passagesOf(frame).map(({ text, person, party, programTitle, begintime, link }, at) => {
    const time = begintime?.replace("T", " ").slice(0, 19);
    const about = [person, party === sections[at] ? null : party, programTitle, time];
    const known = about.flatMap((each) => (each == null ? [] : [inline(each)])).join(" · ");
    const isLink = /^https?:\/\/[^\s"'<>\\]+$/i.test(link ?? "");
    const watch = isLink ? ` · <a href="${escapeHtml(link as string)}" rel="noopener noreferrer">watch</a>` : "";
    const top = sections[at] === sections[at - 1] ? "" : `<h2>${inline(sections[at])}</h2>\n`;
    return `${top}<blockquote><p>${inline(text)}</p><footer>${known}${watch}</footer></blockquote>`;
  });
  const methods = provenanceOf(frame) === undefined ? "" : `<h2>Methods</h2>\n<p>${inline(methodsOf(frame))}</p>\n`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${inline(title)}</title><style>${REPORT_CSS}
blockquote footer{padding:0;margin:0;max-width:none;font-size:.9em}blockquote p{color:var(--ink);margin:0 0 .25rem}</style></head>
<body><main>
<h1>${inline(title)}</h1>
<p>${frame.height.toLocaleString("en-US")} ${frame.height === 1 ? "passage" : "passages"}.</p>
${parts.join("\n")}
${methods}</main></body></html>
`;
}

function inline(text: string | null | undefined): string {
  return escapeHtml(printableLines(text ?? ""));
}
