import { checkedOptions, invalid } from "../errors/validators.js";
import { isPolarsFrame, refuseDanfo } from "../frames/engine.js";
import { type FrameBatches, frameBatches, isFrameBatches } from "../frames/frameBatches.js";
import { appendColumns } from "../frames/frameColumns.js";
import { deriveProvenance, sourcesOf } from "../frames/lineage/derived.js";
import type { PolarsFrame } from "../frames/polars.js";
import { provenanceOf, setProvenance } from "../frames/provenanceOf.js";
import { pluralize } from "../util/text.js";
import { checkLegislators, type Legislators, type LegislatorsOption, legislatorsFor } from "./legislators.js";
import { memberFrame } from "./members.js";
import { MembersRecorder, setMembersReport } from "./membersReport.js";
import { matcherOf, rowSpeakers } from "./speakerMatcher.js";

/** Options of {@link withMembers}. */
export interface WithMembersOptions {
  /**
   * The result of `loadLegislators`, or records in the layout of its files. Default: the data in this package; for an embedded archive, its
   * invented Congress.
   */
  legislators?: LegislatorsOption | undefined;
}

/**
 * Adds to every row the member of Congress who speaks, as of the day of the speech in Washington: `bioguide`, `icpsr`, `party`, `caucus`
 * (the party that an independent sits with), `state`, `district`, `chamber`, `term_start`, `term_end`, `end_approximate` (the member left
 * early, and `term_end` may be late), and `inferred`. Rows are never added, lost or reordered.
 *
 * The id of the speaker decides, if the name agrees with it. Without an id, a name decides that only one member of the day has, in the
 * chamber that the speaker's titles name; `inferred` is then true. A name that contradicts an id is not joined but listed in
 * `membersReport`.
 *
 * On a day of two terms (January 3), the later one counts. A warning (`FEW_MEMBERS`) says why few rows are joined, or that rows are older
 * than the data.
 *
 * @param source a frame with the columns `personid`, `person` and `begintime`; or a scan, a lazy frame or a list of frames
 * @returns a frame; for a scan, frames batch by batch; for a lazy frame or a list, frames
 * @throws ValidationError for a frame without these columns, or with one of the columns to add
 * @example
 * const frame = await archive.mentions("climate", { mindate: "2025-01-03", maxItems: 500 });
 * const joined = await withMembers(frame);
 * joined.groupBy("party").agg(pl.col("length").sum());
 */
export function withMembers(source: PolarsFrame, options?: WithMembersOptions): Promise<PolarsFrame>;
export function withMembers(source: FrameBatches, options?: WithMembersOptions): AsyncIterable<PolarsFrame>;
export function withMembers(
  source: PolarsFrame | FrameBatches,
  options: WithMembersOptions = {},
): Promise<PolarsFrame> | AsyncIterable<PolarsFrame> {
  const { legislators } = checkedOptions(options, ["legislators"], "option of withMembers");
  const checked = legislators === undefined ? undefined : checkLegislators(legislators);
  if (isPolarsFrame(source)) return joinFrame(source, checked);
  refuseDanfo(source, "source");
  if (!isFrameBatches(source)) throw invalid("source", source, "Give a frame of archive.mentions(…), or a scan.");
  return joinBatches(source, checked);
}

async function joinFrame(frame: PolarsFrame, legislators: Legislators | undefined): Promise<PolarsFrame> {
  const recorder = new MembersRecorder(legislators ?? (await legislatorsFor(archiveOf(frame))));
  const joined = join(frame, recorder);
  recorder.warn();
  return joined;
}

/** Joins the frames of a source. The report covers the frames so far. */
function joinBatches(source: FrameBatches, legislators: Legislators | undefined): AsyncIterable<PolarsFrame> {
  let recorder: MembersRecorder | undefined;
  const frames = async function* (): AsyncGenerator<PolarsFrame, void, undefined> {
    recorder = undefined;
    for await (const frame of frameBatches(source)) {
      recorder ??= new MembersRecorder(legislators ?? (await legislatorsFor(archiveOf(frame))));
      yield join(frame, recorder);
    }
    recorder?.warn();
  };
  const result: AsyncIterable<PolarsFrame> = { [Symbol.asyncIterator]: frames };
  return setMembersReport(result, () => recorder?.report());
}

/** The name of the archive in the provenance. */
function archiveOf(frame: PolarsFrame): string | undefined {
  const provenance = provenanceOf(frame);
  return provenance && sourcesOf(provenance)[0]?.source;
}

function join(frame: PolarsFrame, recorder: MembersRecorder): PolarsFrame {
  const matcher = matcherOf(recorder.legislators);
  const matches = rowSpeakers(frame).map((speaker) => {
    const match = matcher.match(speaker);
    recorder.add(match, speaker);
    return match;
  });
  const columns = memberFrame(
    matches.map(({ officeholder }) => officeholder),
    matches.map(({ outcome }) => outcome === "name"),
  );
  const joined = appendColumns(frame, columns);
  const members = recorder.report();
  const provenance = provenanceOf(frame);
  const { rows, byId, byName, legislators } = members;
  const { source, version, date } = legislators;
  const data = [source, version, date].filter((part) => part !== null).join(", ");
  const text = `joined with members of Congress (${data}: ${byId} of ${pluralize(rows, "row")} by id and ${byName} by name)`;
  const step = { verb: "withMembers", text };
  setProvenance(joined, provenance && { ...deriveProvenance(provenance, step), members });
  return setMembersReport(joined, () => members);
}
