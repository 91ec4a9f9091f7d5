import { ValidationError } from "../errors/index.js";
import { nearest, show } from "../errors/validators.js";
import { quotedList } from "../util/quoted.js";

/** The error for a column that does not exist, with the nearest one, or all that there are. */
export function unknownColumn(name: string, columns: readonly string[]): ValidationError {
  const near = nearest(name, columns);
  return new ValidationError(`invalid column: ${show(name)}.`, {
    hint: near === undefined ? `The columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`,
    parameter: name,
  });
}
