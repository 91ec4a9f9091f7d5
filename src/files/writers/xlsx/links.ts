import { xmlText } from "./xmlText.js";

/** Excel opens no longer addresses, and calls a workbook with more links on a sheet damaged. */
const MAX_ADDRESS = 2079;
const MAX_LINKS = 65_530;

/** Only what RFC 3986 allows, because Excel calls a workbook with any other address damaged. No user names: they disguise the host. */
const ADDRESS =
  /^https?:\/\/[\w.:[\]-]+(?:[/?](?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[\da-f]{2})*)?(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[\da-f]{2})*)?$/i;

/**
 * Whether a text is an http or https address that a cell can link to.
 *
 * @example
 * isAddress("https://archive.example/details/a?start=60"); //=> true
 * isAddress("javascript:alert(1)");                        //=> false
 */
export function isAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS && ADDRESS.test(text) && URL.canParse(text);
}

/** The links of a sheet. They follow its rows, so they are kept until then: at most 65,530, and each address once. */
export class SheetLinks {
  readonly #ids = new Map<string, number>();
  readonly #cells: string[] = [];

  /** Links a cell to an address. Returns false if the sheet has no room for another link. */
  add(cell: string, address: string): boolean {
    if (this.#cells.length >= MAX_LINKS) return false;
    const id = this.#ids.get(address) ?? this.#ids.size + 1;
    this.#ids.set(address, id);
    this.#cells.push(`<hyperlink ref="${cell}" r:id="rId${id}"/>`);
    return true;
  }

  /** The element of the sheet; empty without links. */
  get xml(): string {
    return this.#cells.length === 0 ? "" : `<hyperlinks>${this.#cells.join("")}</hyperlinks>`;
  }

  /** The addresses in the order of their ids, escaped for an attribute. */
  get addresses(): readonly string[] {
    return [...this.#ids.keys()].map((address) => xmlText(address).replaceAll('"', "&quot;"));
  }
}
