import { describe, expect, it } from "vitest";
import { kindsOf } from "../../src/speeches/queryVariants.js";

describe("the kinds of a bare number", () => {
  it.each([
    ["https://x.example/hr5", ["hr"]],
    ["https://x.example/bill/117/hr-5", ["hr"]],
    ["https://x.example/bill/117/h.r.5", ["hr"]],
    ["https://x.example/bill/117/-h.r.-/5", ["hr"]],
    ["HTTPS://X.EXAMPLE/117/S.5", ["s"]],
    ["https://x.example/117th-congress/senate-bill/5", ["s"]],
    ["https://x.example/117th-congress/.senate-bill./5?s=all", ["s"]],
    ["https://x.example/house-joint-resolution/5", ["hjres"]],
    ["https://x.example/h.j.res.5", ["hjres"]],
    ["https://x.example/sconres5/text", ["sconres"]],
    ["https://x.example/s.amdt.5", ["samdt"]],
  ])("%s names one", (link, kinds) => {
    expect(kindsOf(link, "5", "Tax Act")).toEqual(kinds);
  });

  it.each([
    // Names that every object has.
    "https://x.example/constructor/5",
    "https://x.example/tostring5",
    "https://x.example/__proto__/5",
    "https://x.example/hasownproperty/5",
    "https://x.example/hr15",
    "https://x.example/hr/55",
    "https://x.example/posts/5",
    "https://x.example/news-5",
    "",
    "s",
    "5",
  ])("%s names none, so the title decides", (link) => {
    expect(kindsOf(link, "5", "Tax Act")).toEqual(["hr", "s"]);
  });

  it.each([
    ["Tax Act of 2021", ["hr", "s"]],
    ["Making Housing Affordable Act", ["hr", "s"]],
    ["A concurrent resolution on the budget", ["hconres", "sconres"]],
    ["Proposing an amendment to the Constitution", ["hjres", "sjres"]],
    ["Providing for consideration of the bill", ["hres", "sres"]],
    ["Recognizing the importance of libraries", ["hres", "sres", "hconres", "sconres"]],
    [undefined, ["hr", "s"]],
  ])("with the title %s", (title, kinds) => {
    expect(kindsOf(undefined, "5", title)).toEqual(kinds);
  });
});
