import type { Option } from "commander";

/**
 * Rewrites a message of the library, which names options, for the command line, which has flags.
 *
 * @example
 * withFlags("invalid maxItems: -1. Give a whole number from 0, for example maxItems: 50.", command.options);
 * //=> "invalid --max-items: -1. Give a whole number from 0, for example --max-items 50."
 */
export function withFlags(message: string, options: readonly Option[]): string {
  const flags = new Map(options.map((option) => [option.attributeName(), option]));
  const withSnapshots = message
    .replace(/\{ snapshot: \{ dir: ("[^"]*"), mode: "(\w+)" \} \}/g, "--snapshot $1 --snapshot-mode $2")
    .replace(/\{ mode: "(\w+)" \}/g, "--snapshot-mode $1")
    .replace(/\{ (\w+: \w+) \}/g, "$1")
    .replace(/: \{ (year|month|day): "([^"]*)" \}/g, ": $1:$2");
  return withSnapshots.replace(
    /(\binvalid )?\b([a-z][A-Za-z]*)\b(?:: (true|false|"[^"]*"|-?\d+|(?:year|month|day):\w+))?/g,
    (all, ...groups) => {
      const [invalid = "", name = "", value] = groups as Array<string | undefined>;
      const option = flags.get(name);
      if (option === undefined) return all;
      const flag = option.long ?? name;
      if (invalid !== "") return `${invalid}${flag}${all.slice(invalid.length + name.length)}`;
      // Lower-case names are also words.
      if (value === undefined) return /[A-Z]/.test(name) ? flag : all;
      if (value === "false") return `--no-${flag.replace(/^--(?:no-)?/, "")}`;
      return value === "true" ? flag : `${flag} ${value.replace(/"/g, "")}`;
    },
  );
}
