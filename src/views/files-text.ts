// The recorded files that are not here as recorded, in words: changed on disk, lost, elsewhere.

import { count } from '../base/text.ts';
import type { FileCounts } from '../plan/decide.ts';

/** One line for each condition that some files are in. */
export function filesText({
  changed,
  lost = 0,
  elsewhere,
  stored,
}: FileCounts & { readonly lost?: number }): readonly string[] {
  return [
    ...(changed > 0 ? [`${are(changed)} changed on disk: left alone.`] : []),
    ...(lost > 0 ? [`${are(lost)} lost: saved here, and gone.`] : []),
    ...(elsewhere > stored
      ? [`${are(elsewhere - stored)} elsewhere: saved by another checkout.`]
      : []),
    ...(stored > 0 ? [`${are(stored)} elsewhere: in the output store.`] : []),
  ];
}

const are = (files: number): string => `${count(files, 'file')} ${files === 1 ? 'is' : 'are'}`;
