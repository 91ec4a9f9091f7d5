import { describe, expect, it } from "vitest";
import { useSharedKernel } from "./kernels.js";

const kernel = useSharedKernel(`import { ArchiveClient, pl } from "archive-frames";
const speeches = pl.DataFrame({ person: ["a", "b"], personid: [1, 2] });
const others = pl.DataFrame({ party: ["c"] });
const live = new ArchiveClient({ apiKey: "test", baseUrl: "http://127.0.0.1:9/" });
/** Half of a number. */
const half = (value: number) => value / 2;`);

/** Requests at the `|` in the code. */
function at(type: "complete" | "inspect", marked: string) {
  const content = { code: marked.replace("|", ""), cursor_pos: marked.indexOf("|"), detail_level: 0 };
  return kernel.request(`${type}_request`, content);
}

async function tooltip(marked: string): Promise<string> {
  const { data } = await at("inspect", marked);
  return (data as Record<string, string>)["text/plain"] ?? "";
}

describe("completion", () => {
  it.each([
    ['others.filter(pl.col("par|"))', ["party"]],
    ['speeches.select("personid", "p|', ["person", "personid"]],
    ["others.groupBy(['|'])", ["party"]],
    ['speeches.groupBy("PERSONI|")', ["personid"]],
    ['chart(speeches, { mark: "bar", x: "per|" })', ["person", "personid"]],
  ])("offers columns in %s", async (marked, matches) => {
    expect((await at("complete", marked)).matches).toEqual(matches);
  });

  it("replaces the rest of the string", async () => {
    expect(await at("complete", 'speeches.select("pers|on")')).toMatchObject({ cursor_start: 17, cursor_end: 23 });
  });

  it.each(['speeches.select("person")|', 'speeches.join(others, { how: "|" })'])(
    "offers no columns in %s",
    async (marked) => {
      expect((await at("complete", marked)).matches).not.toContain("person");
    },
  );
});

describe("a tooltip", () => {
  it.each([
    ["live.men|tions", "Searches spoken words. Returns one row per mention"],
    ["hal|f(2)", "Half of a number.\n\nhalf: (value: number) => number"],
    ["parseIn|t", "Converts a string to an integer."],
    ["speeches.grou|pBy", "Start a groupby operation."],
  ])("of %s starts with its documentation", async (marked, text) => {
    expect((await tooltip(marked)).startsWith(text)).toBe(true);
  });
});
