/** A regular expression that text from outside never reaches, or only in small pieces. */
export interface NotHostile {
  /** Path from `src`. */
  readonly file: string;
  /** The literal as it stands in the source. */
  readonly regex: string;
  readonly because: string;
}

export const NOT_HOSTILE: readonly NotHostile[] = [
  {
    file: "call/progress.ts",
    regex: String.raw`/\B(?=(\d{3})+$)/g`,
    because: "It sees the digits of a number of ours.",
  },
  { file: "files/writers/xlsx/durationText.ts", regex: "/0+$/", because: "It sees the six digits of a fraction." },
  {
    file: "service/http/baseUrl.ts",
    regex: String.raw`/\/+$/`,
    because: "It sees the address that the program gives.",
  },
  {
    file: "notebook/display/grid.ts",
    regex: String.raw`/\B(?=(\d{3})+$)/g`,
    because: "It sees the digits of a number of ours.",
  },
  {
    file: "kernel/converter/deferDocumentation.ts",
    regex: String.raw`/[\\/]node_modules[\\/].*\.d\.[cm]?ts$/`,
    because: "It sees the path of a file that is there, which the system bounds.",
  },
];
