// Describes the entries that a glob matched and that cannot be items: one sentence for each kind of problem, with
// examples.
import { grouped } from '../../../contract/base/grouped.ts';
import type { Odd } from './find-files.ts';

const examples = 3;

/** `shown` formats a path for people. */
export function oddSentences(
  odd: readonly Odd[],
  shown: (path: string) => string,
): readonly string[] {
  const groups = new Map<string, { readonly first: Odd; readonly paths: string[] }>();
  for (const one of odd) {
    const key = `${one.is} ${one.why}`;
    const group = groups.get(key) ?? { first: one, paths: [] };
    group.paths.push(shown(one.path));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ first, paths }) => {
    const some = paths.slice(0, examples);
    const rest = paths.length - some.length;
    const who = [...some, ...(rest > 0 ? [`${grouped(rest)} more`] : [])];
    const subject =
      who.length === 1 ? some.join() : `${who.slice(0, -1).join(', ')} and ${who.at(-1) ?? ''}`;
    return sentence(first, subject, paths.length > 1);
  });
}

function sentence({ is, why }: Odd, subject: string, many: boolean): string {
  switch (is) {
    case 'broken':
      return many
        ? `${subject} are ignored: the links lead nowhere`
        : `${subject} is ignored: the link leads nowhere`;
    case 'special':
      return many
        ? `${subject} are ignored: they are not regular files`
        : `${subject} is ignored: it is not a regular file`;
    case 'undecodable':
      return many
        ? `${subject} are ignored: the names are not valid UTF-8; rename the files`
        : `${subject} is ignored: the name is not valid UTF-8; rename the file`;
    case 'repeated':
      return many
        ? `${subject} are not searched: other links lead to the same folders`
        : `${subject} is not searched: another link leads to the same folder`;
    case 'outside':
      return many
        ? `${subject} are links that are not followed: each ${why}`
        : `${subject} is a link that is not followed: it ${why}`;
    case 'unreadable':
      return `${subject} ${many ? 'are' : 'is'} not searched: the folder ${why}`;
  }
}
