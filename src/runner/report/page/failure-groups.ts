// Failures by cause, the most frequent first.
import { adviceFor } from '../../../contract/api/advice.ts';
import type { FailureGroup } from './report-data.ts';

export interface Failed {
  readonly step: number;
  readonly item: number;
  readonly key: string;
  readonly why: string;
  readonly code?: string | undefined;
}

export function failureGroups(failures: readonly Failed[]): readonly FailureGroup[] {
  const groups = new Map<string, Failed[]>();
  for (const failed of failures) {
    const cause = JSON.stringify([failed.step, failed.code, withoutItem(failed)]);
    const known = groups.get(cause);
    if (known === undefined) groups.set(cause, [failed]);
    else known.push(failed);
  }
  return [...groups.values()]
    .sort((one, other) => other.length - one.length)
    .flatMap((all): FailureGroup[] => {
      const [first] = all;
      if (first === undefined) return [];
      const { step, code } = first;
      const why = all.length === 1 ? first.why : withoutKey(first);
      const advice = adviceFor(code);
      return [
        {
          ...{ step, why },
          ...(code === undefined ? {} : { code }),
          ...(advice === undefined ? {} : { advice }),
          items: [...new Set(all.map(({ item }) => item))],
        },
      ];
    });
}

/** The same sentence about two items is one cause. */
function withoutItem(failed: Failed): string {
  const stem = failed.key.replace(/\.[^./]*$/, '');
  const text = withoutKey(failed);
  return (stem.length > 2 ? text.replaceAll(stem, '…') : text).replace(/\d+/g, '#');
}

const withoutKey = ({ why, key }: Failed): string =>
  key.length > 2 ? why.replaceAll(key, '…') : why;
