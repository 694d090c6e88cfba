// Compares the type that a schema describes with the type that the code declares.

/**
 * A type as JSON has it, in a form in which two types are assignable to each other only if they are the same: brands and
 * `readonly` are gone, optional fields are marked, and a JSON object of any content is one word.
 */
export type Wire<T> = T extends string
  ? T extends { readonly __brand: unknown }
    ? string
    : T
  : T extends number | boolean | null
    ? T
    : T extends readonly (infer Entry)[]
      ? { readonly list: Wire<Entry> }
      : string extends keyof T
        ? AnyFields<T>
        : Fields<T>;

/** With fields that it must have, the unknown ones are left out: what is written by us has none. */
type AnyFields<T> = Record<never, never> extends T ? 'any JSON object' : Fields<T>;

type Fields<T> = {
  readonly [Name in keyof T as string extends Name
    ? never
    : number extends Name
      ? never
      : Name]-?: Record<never, never> extends Pick<T, Name>
    ? { readonly optional: Wire<Exclude<T[Name], undefined>> }
    : { readonly required: Wire<T[Name]> };
};

/** `true` only if each of the two can be used as the other. */
export type Same<One, Other> = [One] extends [Other]
  ? [Other] extends [One]
    ? true
    : false
  : false;
