/** A row of the service with every declared member, and no others. */
export type FullRow<T> = { [Name in keyof T as string extends Name ? never : Name]-?: NonNullable<T[Name]> };
