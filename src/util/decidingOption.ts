/**
 * An option that determines the type of a result. For a plain optional member, TypeScript infers `T` without `undefined`; with this
 * type, `T` includes `undefined` if the value may be undefined.
 */
export type DecidingOption<O, T> = undefined extends T
  ? { readonly [K in keyof O]?: T | O[K] }
  : { readonly [K in keyof O]-?: T };

/** The type of an option whose default replaces `undefined`. */
export type OrDefault<T, Default> = T extends undefined ? Default : T;
