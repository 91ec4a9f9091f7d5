/** The HTML entities that a key may be written with: printable ASCII and Latin-1. ASCII letters and digits have no names. */
const ASCII: Readonly<Record<string, string>> = {
  "!": "excl",
  '"': "quot QUOT",
  "#": "num",
  $: "dollar",
  "%": "percnt",
  "&": "amp AMP",
  "'": "apos",
  "(": "lpar",
  ")": "rpar",
  "*": "ast midast",
  "+": "plus",
  ",": "comma",
  ".": "period",
  "/": "sol",
  ":": "colon",
  ";": "semi",
  "<": "lt LT",
  "=": "equals",
  ">": "gt GT",
  "?": "quest",
  "@": "commat",
  "[": "lsqb lbrack",
  "\\": "bsol",
  "]": "rsqb rbrack",
  "^": "Hat",
  _: "lowbar UnderBar",
  "`": "grave DiacriticalGrave",
  "{": "lcub lbrace",
  "|": "verbar vert VerticalLine",
  "}": "rcub rbrace",
  "\n": "NewLine",
  "\t": "Tab",
};

/** In order, from U+00A0. */
const LATIN1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
  "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute " +
  "THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde " +
  "ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Further names of Latin-1 characters. */
const SYNONYMS: Readonly<Record<string, string>> = {
  NonBreakingSpace: "\u00a0",
  COPY: "\u00a9",
  circledR: "\u00ae",
  REG: "\u00ae",
  pm: "\u00b1",
  PlusMinus: "\u00b1",
  die: "\u00a8",
  Dot: "\u00a8",
  strns: "\u00af",
  DiacriticalAcute: "\u00b4",
  centerdot: "\u00b7",
  CenterDot: "\u00b7",
  Cedilla: "\u00b8",
  half: "\u00bd",
  angst: "\u00c5",
  div: "\u00f7",
};

/** Character codes by entity name. */
export const ENTITIES: ReadonlyMap<string, number> = new Map([
  ...Object.entries(ASCII).flatMap(([char, names]) => names.split(" ").map((name) => entry(name, char.charCodeAt(0)))),
  ...LATIN1.split(" ").map((name, at) => entry(name, 0xa0 + at)),
  ...Object.entries(SYNONYMS).map(([name, char]) => entry(name, char.charCodeAt(0))),
]);

/** Entities that browsers accept without the semicolon. */
export const LEGACY_ENTITIES: ReadonlySet<string> = new Set(
  `${LATIN1} COPY REG amp AMP lt LT gt GT quot QUOT`.split(" "),
);

function entry(name: string, code: number): [string, number] {
  return [name, code];
}
