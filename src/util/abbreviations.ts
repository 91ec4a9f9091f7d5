/** A period after these does not end a sentence. */
export const ABBREVIATIONS: ReadonlySet<string> = new Set(
  "mr mrs ms dr sr jr st sen rep gen gov no res con amdt hr hres sres vs inc".split(" "),
);
