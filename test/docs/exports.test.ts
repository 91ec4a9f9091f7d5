import { expect, it } from "vitest";
import { ENTRY_POINTS } from "./publicApi.js";

/** The exported values of every entry point. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  index: [
    ...["ArchiveClient", "openArchive", "VERSION"],
    ...["concat", "perPeriod", "pl", "provenanceOf", "toDataFrame", "toRecords", "valueCounts", "valuesOf", "where"],
    ...["countSpeakers", "methodsOf", "readFrame", "saveFrame", "toCsv", "toJsonl", "sql", "verifySnapshot"],
    ...["APIError", "ArchiveError", "AuthenticationError", "NotFoundError", "RateLimitError", "ValidationError"],
  ],
  notebook: [
    ...["display", "show", "secret", "Chart", "chart", "mentionsOverTime"],
    ...["estimates", "ratesOverTime", "notebookHtml", "runNotebook"],
  ],
  embedded: ["startEmbeddedArchive"],
  text: ["kwic", "rates", "stopwords", "terms", "reairings", "collocations", "compare", "keyness"],
  members: ["loadLegislators", "members", "membersReport", "withMembers"],
  corpus: ["cross", "openCorpus"],
  coding: ["codebook", "sampleRows", "codingPage", "readCodes", "agreement"],
  fleet: ["openFleet", "startWorker"],
};

it("exports at most 60 values, and each is meant to be exported", async () => {
  const exported = await Promise.all(
    Object.keys(VALUES).map(async (name) => {
      const path = ENTRY_POINTS[name === "index" ? "archive-frames" : `archive-frames/${name}`] ?? "";
      return [name, Object.keys(await import(`../../${path}`)).sort()] as const;
    }),
  );
  expect(Object.fromEntries(exported)).toEqual(
    Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, [...values].sort()])),
  );
  expect(exported.flatMap(([, values]) => values).length).toBeLessThanOrEqual(60);
});
