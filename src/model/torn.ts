// Decides whether the end of a journal is an event that a crash tore.

import type { RawLine } from '../base/raw-line.ts';
import { jsonIn } from './line.ts';

/**
 * A torn event was never relied on, because whoever records an event waits until the whole line is on disk: dropping it loses
 * nothing. Any other unreadable line may have been a payment. A torn header or job line is different: new and compacted files are
 * renamed into place whole, so something else cut the line, and everything after it is lost. The same applies to zeros, which a
 * power failure can leave in place of lines that were synced. `after` is the number of the previous event.
 */
export function isTorn(
  { text, wellFormed, midCharacter = false, terminated }: RawLine,
  number: number,
  after: number,
): boolean {
  if (terminated || number === 1 || !(wellFormed || midCharacter)) return false;
  // Behind a header alone, a run is the first thing that is recorded. A compacted file may be of a run that goes on.
  const start = `{"seq":${after + 1},"event":"${number === 2 ? 'run"' : ''}`;
  const begins = text.length < start.length ? start.startsWith(text) : text.startsWith(start);
  return begins && text !== '' && !controlCharacter.test(text) && jsonIn(text) === undefined;
}

const controlCharacter = /\p{Cc}/u;
