// Says at the end of a run of many files what the suite costs: so it is seen before the whole takes too long, or is more
// than anybody can read. What counts as processor time: test/measured.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Processor seconds of `npm test` by folder, on a machine whose two cores are both busy. More than a fifth above is a warning:
 * find the reason, or write down what is worth it. The first folder of a worker also loads the modules, so a small one is given
 * a few seconds for that.
 */
const budgets: Readonly<Record<string, number>> = {
  '.': 78,
  base: 4,
  bench: 2,
  contract: 5,
  core: 3,
  distributed: 9,
  docs: 8,
  e2e: 150,
  features: 13,
  files: 4,
  hostile: 45,
  language: 9,
  model: 9,
  old: 28,
  previews: 34,
  promises: 7,
  report: 15,
  service: 57,
  'service-api': 15,
  state: 8,
  stores: 4,
  stories: 70,
  tables: 16,
  terminal: 3,
  triggers: 2,
  views: 3,
};
const budgetOfLines = 80_000;

const shownTests = 20;
const minFiles = 20;
const tolerance = 1.2;

const root = fileURLToPath(new URL('.', import.meta.url));

export class Cost implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= minFiles) return;
    const lines = [...dearestTests(modules), ...folders(modules), linesOfTests()];
    process.stdout.write(`\n${lines.join('\n')}\n\n`);
  }
}

const secondsOf = (task: TestModule | TestCase): number => task.meta().processorSeconds ?? 0;

const padded = (seconds: number): string => `${seconds.toFixed(1).padStart(7)} s`;

function dearestTests(modules: readonly TestModule[]): readonly string[] {
  const dearest = modules
    .flatMap((module) => [...module.children.allTests()])
    .toSorted((one, other) => secondsOf(other) - secondsOf(one))
    .slice(0, shownTests);
  const lines = dearest.map(
    (test) => `${padded(secondsOf(test))}  ${test.module.relativeModuleId}: ${test.name}`,
  );
  return ['The dearest tests, in processor time:', ...lines];
}

/** Of a folder that ran whole, also its budget. */
function folders(modules: readonly TestModule[]): readonly string[] {
  const run = Map.groupBy(modules, ({ moduleId }) => folderOf(relative(root, moduleId)));
  const all = Map.groupBy(testFiles(), folderOf);
  const rows = [...run].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = rows.map(([folder, files]) => {
    const seconds = sum(files);
    const isWhole = files.length === all.get(folder)?.length && process.env['EVERY'] !== '1';
    const budget = budgets[folder];
    const text = `${padded(seconds)}  ${folder}`;
    if (!isWhole) return text;
    if (budget === undefined) return `${text}: warning: it has no budget in test/cost.ts`;
    const isOver = seconds > budget * tolerance;
    return `${text}, of ${budget}${isOver ? ': warning: more than a fifth above its budget' : ''}`;
  });
  return ['Processor time by folder of test/:', ...lines, `${padded(sum(modules))}  in all`];
}

const sum = (modules: readonly TestModule[]): number =>
  modules.reduce((total, module) => total + secondsOf(module), 0);

const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '.');

const sources = (): readonly string[] =>
  readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'));

const testFiles = (): readonly string[] => sources().filter((name) => name.endsWith('.test.ts'));

function linesOfTests(): string {
  const lines = sources().reduce(
    (total, name) => total + readFileSync(join(root, name), 'utf8').split('\n').length - 1,
    0,
  );
  const count = lines.toLocaleString('en');
  const most = budgetOfLines.toLocaleString('en');
  const warning = lines > budgetOfLines ? ': warning: more than that' : '';
  return `Lines of test/: ${count} of ${most}${warning}`;
}
