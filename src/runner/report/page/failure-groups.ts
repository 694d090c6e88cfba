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
      const { step, why, code } = first;
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
function withoutItem({ why, key }: Failed): string {
  const stem = key.replace(/\.[^./]*$/, '');
  const short = [key, stem].filter((text) => text.length > 2);
  return short.reduce((text, name) => text.replaceAll(name, '…'), why).replace(/\d+/g, '#');
}
