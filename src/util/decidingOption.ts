/**
 * An option that decides the type of a result. For a plain optional member TypeScript infers `T` without `undefined`; with
 * this type, `T` includes `undefined` whenever the value may be undefined.
 *
 * @example
 * declare function read<F extends Format | undefined = undefined>(options: DecidingOption<"format", F>): F;
 * read({ format: isLong ? "csv" : undefined }); // "csv" | undefined
 */
export type DecidingOption<Name extends string, T> =
  | { readonly [K in Name]: T }
  | (undefined extends T ? { readonly [K in Name]?: T } : never);

/** The type of an option whose default replaces `undefined`. */
export type OrDefault<T, Default> = T extends undefined ? Default : T;
