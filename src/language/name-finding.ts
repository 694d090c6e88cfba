// What is wrong with a name, and the name that was probably meant.
import type { Code } from '../contract/codes/all.ts';
import { listing, suggestion } from '../contract/yaml/diagnostic.ts';

export interface NameFinding {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

/** `what`: the beginning of a sentence that the name ends. Undefined for a known name. */
export function unknownName(
  code: Code,
  what: string,
  key: string,
  known: readonly string[],
): NameFinding | undefined {
  if (known.includes(key)) return undefined;
  return {
    code,
    message: `${what} "${key}"`,
    hint:
      suggestion(key, known) ??
      (known.length === 0 ? `add ${key}: under inputs:` : `known: ${listing(known)}`),
  };
}
