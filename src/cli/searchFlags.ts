import type { Command } from "commander";
import { ValidationError } from "../errors/index.js";
import { invalid } from "../errors/validators.js";
import { type Operation, type OperationName, operationNamed, operations } from "../service/operations/operations.js";
import { groupBy } from "../util/groupBy.js";
import { addSnapshotFlags, argument, camelCase, kebabCase } from "./flags.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * Adds the arguments and flags of a search or lookup: operation, query, a flag per parameter, and snapshot flags.
 *
 * @param names the operations that the command accepts
 * @param without parameters that the command does not accept
 */
export function addSearchFlags(
  command: Command,
  names: readonly OperationName[],
  without: readonly string[] = [],
): Command {
  const isSearch = names.every((name) => "query" in operations[name].parameters);
  command
    .argument(isSearch ? "<search>" : "<operation>", names.map(kebabCase).join(", "))
    .argument("[query]", isSearch ? "as --query" : "as --query; as --id of a lookup");
  for (const [name, note] of parameterNotes(names)) {
    if (!without.includes(name)) command.option(`--${name} <value>`, note);
  }
  return addSnapshotFlags(command);
}

/** Adds `--columns` to a command that writes rows. */
export function addColumnsFlag(command: Command): Command {
  return command.option("--columns <name...>", "the columns to write, in this order (default: all)");
}

export function addByFlag(command: Command, what: string, groups: readonly string[]): Command {
  return command.option("--by <group>", `${what}: ${groups.join(", ")}`);
}

/**
 * Returns the operation and its options, including the positional parameter.
 *
 * @param position the second argument
 * @throws ValidationError that names flags, before an archive is opened: for parameters of other operations, missing parameters and
 *   a parameter given twice
 */
export function searchOf<N extends OperationName>(
  operation: string,
  position: string | undefined,
  values: Values,
  names: readonly N[],
): { name: N; options: Values } {
  const name = operationNamed(camelCase(operation), names);
  const { first }: Operation = operations[name];
  if (position !== undefined && values[first] !== undefined && values[first] !== position) {
    const hint = `It was given twice. Leave out either --${first} or ${argument(position)}.`;
    throw invalid(first, position, hint);
  }
  const options = position === undefined ? values : { ...values, [first]: position };
  checkParameters(name, options);
  return { name, options };
}

function checkParameters(operation: OperationName, values: Values): void {
  const { parameters }: Operation = operations[operation];
  for (const name of parameterNotes().keys()) {
    if (values[name] !== undefined && !(name in parameters)) {
      const flags = Object.keys(parameters).map((each) => `--${each}`);
      const hint = `It accepts ${flags.join(", ")}.`;
      throw new ValidationError(`--${name} does not apply to ${kebabCase(operation)}.`, { hint, parameter: name });
    }
    if (values[name] === undefined && parameters[name]?.required === true) {
      throw new ValidationError(`${kebabCase(operation)} requires --${name}.`, { parameter: name });
    }
  }
}

/** The help text of every parameter, with the operations that accept it. */
function parameterNotes(names: readonly string[] = Object.keys(operations)): Map<string, string> {
  const all = Object.entries(operations)
    .filter(([operation]) => names.includes(operation))
    .flatMap(([operation, { parameters }]) =>
      Object.entries(parameters).map(([name, { note }]) => ({ name, note, by: kebabCase(operation) })),
    );
  const byName = [...groupBy(all, ({ name }) => name)];
  return new Map(byName.map(([name, own]) => [name, `${own[0]?.note} (${own.map(({ by }) => by).join(", ")})`]));
}
