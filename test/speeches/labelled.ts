import labelled from "./labelled.json" with { type: "json" };

/**
 * Passages labelled by hand: is this text about this bill? They are written as captions are, after real bills and real habits of
 * speech, and without looking at what the package says about them. None of them comes from the generator of the embedded archive.
 */
export interface LabelledBill {
  /** As a caller gives it, or a row of GET /bills. */
  readonly bill:
    | { readonly title?: string; readonly number?: string; readonly congress: number }
    | { readonly billtitle: string; readonly billnumber: string; readonly link: string; readonly congress: number };
  /** Passages that name the bill. */
  readonly about: readonly string[];
  /** Passages that a search for the bill may bring, and that do not name it. */
  readonly notAbout: readonly string[];
}

/** `first`: the judge was developed on it. `more`: longer, written after that. `edge`: odd spellings, neighbours and traps. */
export const LABELLED: Readonly<Record<"first" | "more" | "edge", readonly LabelledBill[]>> = labelled;
