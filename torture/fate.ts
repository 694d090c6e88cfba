// What becomes of a run, by chance: at which crash point it dies, or at what moment, or who interrupts it.
import { type Crash, drawCrash } from './crash-points.ts';

export type Fate =
  | { readonly how: 'crash'; readonly crash: Crash }
  /** `kill -9` so many milliseconds after it began. */
  | { readonly how: 'moment'; readonly ms: number }
  /** Interrupted as with Ctrl-C. */
  | { readonly how: 'signal'; readonly name: 'SIGINT' | 'SIGTERM'; readonly ms: number }
  | { readonly how: 'spared' };

export function drawFate(chance: () => number, items: number): Fate {
  const kind = chance();
  const ms = 1 + Math.floor(chance() ** 2 * 25 * items);
  if (kind < 0.7) return { how: 'crash', crash: drawCrash(chance, items) };
  if (kind < 0.9) return { how: 'moment', ms };
  return { how: 'signal', name: chance() < 0.5 ? 'SIGINT' : 'SIGTERM', ms };
}

export function fateText(fate: Fate): string {
  switch (fate.how) {
    case 'crash':
      return `${fate.crash.point} #${fate.crash.at}`;
    case 'moment':
      return `kill -9 after ${fate.ms} ms`;
    case 'signal':
      return `${fate.name} after ${fate.ms} ms`;
    case 'spared':
      return 'spared';
  }
}
