// Result: a failure that the caller decides about. What only ends a command is a `Refusal`
// (language/load/refusal.ts), and every other exception is a bug.

type Ok<T> = { readonly ok: true; readonly value: T };
export type Err<E> = { readonly ok: false; readonly error: E };
export type Result<T, E> = Ok<T> | Err<E>;

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value });
export const err = <E>(error: E): Err<E> => ({ ok: false, error });

/** A type that only its own function can create: a `ProjectId` is more than a string. */
export type Brand<T, Name extends string> = T & {
  readonly __brand: { readonly [Key in Name]: true };
};

/** Marks code that the types rule out. Reaching it is a bug in shotlist. */
export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`);
}
