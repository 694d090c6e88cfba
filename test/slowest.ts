// Says at the end of a run of many files which took the longest: so they are seen before the whole takes too long.
import type { Reporter, TestModule } from 'vitest/node';

const shownFiles = 20;

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shownFiles) return;
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, seconds: secondsOf(module) }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, shownFiles);
    const lines = slowest.map(
      ({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`,
    );
    process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n\n`);
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}
