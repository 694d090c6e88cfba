// Tasks that make values, for tests of names.
import { kindNamed } from '../../src/contract/kinds.ts';
import type { Maker } from '../../src/core/names.ts';

/** `fingerprint`: one letter is enough. */
export function maker(fingerprint: string, kind: string, asked?: number): Maker {
  const found = kindNamed(kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return { fingerprint, kind: found, asked };
}
