/** A Lucene query that cannot be answered: badly written, or a range, which this service has never survived. */
export class LuceneFault extends Error {
  override readonly name = "LuceneFault";
  readonly reason: "syntax" | "field" | "range";

  constructor(reason: "syntax" | "field" | "range", message: string) {
    super(message);
    this.reason = reason;
  }
}
