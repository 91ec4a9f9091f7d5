import { ValidationError } from "../errors/index.js";
import { nearest, show } from "../errors/validators.js";
import { quotedList } from "../util/quoted.js";
import { VIDEO_TYPES } from "../util/videoTypes.js";

/** The error for a column that does not exist, with the nearest one, or all that there are. */
export function unknownColumn(name: string, columns: readonly string[]): ValidationError {
  if (name === "videotype" && columns.includes("videoTypeId")) {
    const { Speech, Debate } = VIDEO_TYPES;
    return new ValidationError('invalid column: "videotype". Rows of mentions have numbers.', {
      hint: `Type videoTypeId: ${Speech} for speeches and ${Debate} for debates, search with videotype: "Speech", or add the column with withPrograms.`,
      parameter: name,
    });
  }
  const near = nearest(name, columns);
  return new ValidationError(`invalid column: ${show(name)}.`, {
    hint: near === undefined ? `The columns are ${quotedList(columns)}.` : `Did you mean ${show(near)}?`,
    parameter: name,
  });
}
