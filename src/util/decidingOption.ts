/**
 * An option that decides the type of a result. Beside an optional member, of which TypeScript infers `T` without `undefined`, it
 * makes `T` include `undefined` where the value may be undefined.
 *
 * @example
 * declare function read<F extends Format | undefined = undefined>(options: DecidingOption<"format", F>): F;
 * read({ format: isLong ? "csv" : undefined }); // "csv" | undefined
 */
export type DecidingOption<Name extends string, T> =
  | { readonly [K in Name]: T }
  | (undefined extends T ? { readonly [K in Name]?: T } : never);

/** The type of an option where the default takes the place of `undefined`. */
export type OrDefault<T, Default> = T extends undefined ? Default : T;
