// How a run ends, drawn at random: at a crash point, at a moment, by a signal, or by itself.
import { type Crash, drawCrash } from './crash-points.ts';

export type CrashPlan =
  | { readonly how: 'crash'; readonly crash: Crash }
  /** `kill -9`, this many milliseconds after the run begins. */
  | { readonly how: 'moment'; readonly ms: number }
  /** Interrupted as with Ctrl-C. */
  | { readonly how: 'signal'; readonly name: 'SIGINT' | 'SIGTERM'; readonly ms: number }
  | { readonly how: 'none' };

export function drawCrashPlan(chance: () => number, items: number): CrashPlan {
  const kind = chance();
  const ms = 1 + Math.floor(chance() ** 2 * 25 * items);
  if (kind < 0.7) return { how: 'crash', crash: drawCrash(chance, items) };
  if (kind < 0.9) return { how: 'moment', ms };
  return { how: 'signal', name: chance() < 0.5 ? 'SIGINT' : 'SIGTERM', ms };
}

export function crashPlanText(plan: CrashPlan): string {
  switch (plan.how) {
    case 'crash':
      return `${plan.crash.point} #${plan.crash.at}`;
    case 'moment':
      return `kill -9 after ${plan.ms} ms`;
    case 'signal':
      return `${plan.name} after ${plan.ms} ms`;
    case 'none':
      return 'not killed';
  }
}
