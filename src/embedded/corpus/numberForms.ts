/**
 * How people and captioners write the number of a bill; the commonest form stands more than once.
 *
 * @example
 * numberForms("House", "5376"); //=> ["H.R. 5376", …, "HR 5376", "H R 5376", "H.R.5376", "House Bill 5376"]
 */
export function numberForms(chamber: "House" | "Senate", number: string): readonly string[] {
  return chamber === "House"
    ? [
        `H.R. ${number}`,
        `H.R. ${number}`,
        `H.R. ${number}`,
        `HR ${number}`,
        `HR ${number}`,
        `H R ${number}`,
        `H R ${number}`,
        `H.R.${number}`,
        `House Bill ${number}`,
      ]
    : [`S. ${number}`, `S. ${number}`, `S. ${number}`, `S ${number}`, `S.${number}`, `Senate Bill ${number}`];
}
