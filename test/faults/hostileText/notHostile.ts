/** A regular expression that never sees untrusted text, or only short pieces of it. */
export interface NotHostile {
  /** Path below `src`. */
  readonly file: string;
  /** The literal as written in the source. */
  readonly regex: string;
  readonly because: string;
}

export const NOT_HOSTILE: readonly NotHostile[] = [
  {
    file: "call/progress.ts",
    regex: String.raw`/\B(?=(\d{3})+$)/g`,
    because: "It sees the digits of a number that we formatted.",
  },
  { file: "files/writers/xlsx/columns.ts", regex: "/0+$/", because: "It sees the six digits of a fraction." },
  {
    file: "service/http/url.ts",
    regex: String.raw`/\/+$/`,
    because: "It sees the base URL, which the user sets.",
  },
  {
    file: "notebook/display/grid.ts",
    regex: String.raw`/\B(?=(\d{3})+$)/g`,
    because: "It sees the digits of a number that we formatted.",
  },
  {
    file: "service/http/secret.ts",
    regex: String.raw`/"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+/g`,
    because: "It sees text that JSON.parse accepts, in which every quote is closed.",
  },
];
