/** How many files {@link replaceFile} still replaces before it fails. */
export const crash = { after: Number.POSITIVE_INFINITY };
