// How long a run will still take: the work that is left, by what this run and earlier ones have seen or by the medians of
// the tools, at the pace of this run. Says nothing rather than something wrong.
import { toolNamed } from '../../contract/tools/all.ts';
import type { AtWork, RunView, StepProgress } from '../../core/run-view.ts';

/** Tasks of a step that this run must have finished before their mean counts more than the median. */
const minTasksSeen = 3;
/** Before that, in milliseconds, the pace of a run says little. */
const warmUpMs = 3000;

/** The most credits that the plan may take; undefined if nobody knows. */
export function mostPlanned({ planned }: RunView): number | undefined {
  if (planned === undefined) return undefined;
  const { credits, unpriced, uncounted } = planned.plan;
  return unpriced + uncounted > 0 ? undefined : credits;
}

/** In milliseconds; undefined if nobody knows. */
export function timeLeft(view: RunView, now: number): number | undefined {
  const { stage, speed, firstBegin, atWork, steps, planned: { budget } = {} } = view;
  if (stage.is !== 'working' || firstBegin === undefined) return undefined;
  // The run will stop on the way, and nobody knows where.
  if (budget !== undefined && (mostPlanned(view) ?? Infinity) > budget) return undefined;
  const elapsedMs = now - firstBegin;
  // How many tasks were at work at once, on average.
  const parallel = view.busyMs(now) / elapsedMs;
  if (elapsedMs < warmUpMs || parallel <= 0) return undefined;
  // What takes so much longer than usual has no usual end.
  const late = ({ step, since }: AtWork): boolean => isLate(step, now - since, speed);
  if (atWork.size > 0 && [...atWork.values()].every(late)) return undefined;
  let [work, oneItem] = [0, 0];
  for (const step of steps.values()) {
    const { running, waiting, isOpen } = step;
    if (isOpen && waiting > 0) return undefined;
    if (running + waiting === 0) continue;
    const each = usualMs(step, speed);
    if (each === undefined) return undefined;
    // On average, what is at work is half done.
    work += each * (waiting + running / 2);
    oneItem += each * (waiting > 0 ? 1 : 0.5);
  }
  // However much runs at once, the last item takes its time.
  return work === 0 ? undefined : Math.max(work / parallel, oneItem);
}

/** True if a task takes several times as long as the others of its step. */
export function isLate(
  step: StepProgress | undefined,
  ageMs: number,
  speed: number | undefined,
): boolean {
  const usual = step === undefined ? undefined : usualMs(step, speed);
  return usual !== undefined && ageMs > 3 * usual + warmUpMs;
}

/**
 * For one task: as in this run, else as in earlier ones, else by the tool's median. Nothing is known of the free steps before
 * they are seen, and they take little.
 */
function usualMs(step: StepProgress, speed: number | undefined): number | undefined {
  const seen = step.meanMs(minTasksSeen);
  if (seen !== undefined) return seen;
  if (step.usualMs !== undefined) return step.usualMs;
  const tool = toolNamed(step.kind);
  if (tool === undefined) return step.meanMs(1) ?? 0;
  const { medianSeconds } = tool;
  if (speed === undefined || medianSeconds === undefined) return undefined;
  return (medianSeconds * 1000) / speed;
}

/** Coarse on purpose: nobody knows it better. */
export function timeLeftText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return 'a few seconds left';
  if (seconds < 55) return `about ${Math.ceil(seconds / 10) * 10} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `about ${Math.max(1, minutes)} min left`;
  const hours = seconds / 3600;
  return hours < 48
    ? `about ${Math.round(hours)} h left`
    : `about ${Math.round(hours / 24)} days left`;
}
