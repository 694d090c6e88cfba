// What a path that leads nowhere may have meant: the same names in another case, with accents composed otherwise, with
// spaces, or with the separators of another system.
import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isSystemProblem } from '../base/system-error.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';

/** What two spellings of a name may differ in; each way to fold a name takes in the ones before it. */
const differences: readonly (readonly [string, (name: string) => string])[] = [
  [
    'the accents are composed in another way (Unicode NFC and NFD)',
    (name) => name.normalize('NFC'),
  ],
  ['the case of the letters differs', (name) => name.normalize('NFC').toLowerCase()],
  [
    'the spaces differ',
    (name) =>
      name
        .normalize('NFKC')
        .replace(/[\s\p{Cf}]+/gu, '')
        .toLowerCase(),
  ],
];

/** A sentence about a path that does not exist, such as `did you mean "a.jpg"?`; undefined if nothing is like it. */
export function nearPath(path: string, folder: string): string | undefined {
  const parts = path.split(/[\\/]/);
  const why = new Set(path.includes('\\') ? ['folders are separated by "/"'] : []);
  const found: string[] = [];
  for (const name of parts) {
    const at = join(
      isAbsolute(path) ? '' : folder,
      found.join('/') || (isAbsolute(path) ? '/' : '.'),
    );
    const there = name === '' || name === '.' || name === '..' ? [name] : namesIn(at);
    const meant = there.includes(name) ? { name, why: undefined } : alike(name, there);
    if (meant === undefined)
      return suggestion(
        name,
        there.filter((one) => isTypo(name, one)),
      );
    if (meant.why !== undefined) why.add(meant.why);
    found.push(meant.name);
  }
  return why.size === 0
    ? undefined
    : `did you mean ${JSON.stringify(found.join('/'))}? ${[...why].join(', and ')}`;
}

/** Names of one series, such as IMG_1.jpg and IMG_2.jpg, are files of their own; so are short names. */
const isTypo = (name: string, other: string): boolean =>
  name.length > 6 && name.replace(/\d+/g, '') !== other.replace(/\d+/g, '');

/** The name in a folder, and what differs. */
function alike(name: string, there: readonly string[]) {
  for (const [why, fold] of differences) {
    const wanted = fold(name);
    const found = there.find((one) => fold(one) === wanted);
    if (found !== undefined) return { name: found, why };
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}
