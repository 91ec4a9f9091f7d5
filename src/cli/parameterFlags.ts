import { InvalidArgumentError } from "commander";
import { ValidationError } from "../errors/index.js";
import { type OperationName, operations } from "../service/operations/operations.js";

/** The kebab-case spelling of an operation: `programs-search`. The camelCase name works too. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The reverse of {@link kebabCase}. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Rejects parameters of other operations, and missing ones, in the words of the command line and before an archive is opened. */
export function checkParameters(operation: OperationName, values: Readonly<Record<string, unknown>>): void {
  const accepted: Readonly<Record<string, { readonly required: boolean }>> = operations[operation].parameters;
  for (const name of parameterNotes().keys()) {
    if (values[name] !== undefined && !(name in accepted)) {
      const flags = Object.keys(accepted).map((each) => `--${each}`);
      const hint = `It accepts ${flags.join(", ")}.`;
      throw new ValidationError(`--${name} does not apply to ${kebabCase(operation)}.`, { hint, parameter: name });
    }
    if (values[name] === undefined && accepted[name]?.required === true) {
      throw new ValidationError(`${kebabCase(operation)} requires --${name}.`, { parameter: name });
    }
  }
}

/** The help text of every parameter, with the operations that accept it. */
export function parameterNotes(names: readonly string[] = Object.keys(operations)): Map<string, string> {
  const notes = new Map<string, string>();
  const acceptedBy = new Map<string, string[]>();
  for (const [operation, { parameters }] of Object.entries(operations)) {
    if (!names.includes(operation)) continue;
    for (const [name, { note }] of Object.entries(parameters)) {
      if (!notes.has(name)) notes.set(name, note);
      acceptedBy.set(name, [...(acceptedBy.get(name) ?? []), kebabCase(operation)]);
    }
  }
  return new Map([...notes].map(([name, note]) => [name, `${note} (${acceptedBy.get(name)?.join(", ")})`]));
}

/** Parses the value of a flag: a whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("Give a whole number from 0.");
  return value;
}
