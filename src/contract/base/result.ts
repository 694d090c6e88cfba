// Expected trouble is a value; an exception is a bug. These are the two shapes of that sentence.

export type Ok<T> = { readonly ok: true; readonly value: T };
export type Err<E> = { readonly ok: false; readonly error: E };
export type Result<T, E> = Ok<T> | Err<E>;

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value });
export const err = <E>(error: E): Err<E> => ({ ok: false, error });

/** A type that only its maker can make: a `ProjectId` is not any string. */
export type Brand<T, Name extends string> = T & {
  readonly __brand: { readonly [Key in Name]: true };
};

/** Marks what the types say can never happen; reaching it is a bug in shotlist. */
export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`);
}
