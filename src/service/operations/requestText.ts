/**
 * A request in one line: what tells it from others, for those who keep answers.
 *
 * @example
 * requestText("/bills", [["query", "farm bill"]]); //=> "/bills?query=farm+bill"
 */
export function requestText(path: string, query: ReadonlyArray<readonly [string, string]>): string {
  const text = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return text === "" ? path : `${path}?${text}`;
}
