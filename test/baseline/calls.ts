import { type PolarsFrame, pl } from "../../src/index.js";
import { compare, keyness, rates, stopwords, terms } from "../../src/text/index.js";

/**
 * The calls whose results at 7b6cb03b are in `text.json`: rates, comparisons, terms and keyness of the reference data and of mentions of
 * the synthetic archive. Every group has 30 clusters or more.
 */
export function baselineCalls(
  clustered: PolarsFrame,
  mentions: PolarsFrame,
): Record<string, () => Promise<PolarsFrame>> {
  const own = { baseline: "own rows" } as const;
  const calls: Record<string, () => Promise<PolarsFrame>> = {};
  for (const per of [10_000, "mention", "hour"] as const)
    for (const cluster of ["personid", "programid", false] as const)
      for (const by of [undefined, "party", "year", ["year", "party"]] as const)
        calls[`rates ${per} ${cluster} ${by}`] = () =>
          rates(mentions, ["climate", "tax*", "climate change"], { ...own, per, cluster, by });
  for (const per of [1, "mention"] as const) {
    for (const by of [undefined, "party"] as const)
      calls[`reference rates ${per} ${by}`] = () => rates(clustered, "tax", { ...own, per, by, cluster: "personid" });
    calls[`reference compare ${per}`] = () => compare(clustered, "tax", { ...own, per, by: "party" });
  }
  for (const per of [10_000, "mention"] as const) {
    calls[`compare parties ${per}`] = () =>
      compare(mentions, ["climate", "tax*"], { ...own, per, by: "party", groups: ["Democrat", "Republican"] });
    calls[`compare years ${per}`] = () =>
      compare(mentions, ["climate", "tax*"], { ...own, per, by: "year", groups: ["2023", "2022"] });
  }
  calls.terms = () => terms(mentions, { by: "party", ngrams: [1, 2], min: 20, stopwords: stopwords() });
  calls["terms with intervals"] = () => terms(mentions, { by: "party", min: 40, cluster: "personid" });
  calls.keyness = async () => {
    const of = (party: string) => mentions.filter(pl.col("party").eq(pl.lit(party)));
    return keyness(of("Democrat"), of("Republican"), { min: 20 });
  };
  return calls;
}
