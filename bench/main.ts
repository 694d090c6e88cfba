// `npm run bench`: every bench, or one with its options, as tables; README.md says how to use it.
import { spawnSync } from 'node:child_process';
import { benches } from './benches.ts';
import { type Bench, verdictsOn } from './frame/bench.ts';
import { compare } from './frame/compare.ts';
import { askedOf, flagsOf } from './frame/flags.ts';
import { keep, measure } from './frame/result.ts';
import { writeResultsPage } from './frame/results-page.ts';
import { tableOf, textOf, verdictTable } from './frame/table.ts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [name = '', ...args] = process.argv.slice(2);
const named = benches.find((bench) => bench.name === name);

if (named !== undefined) await one(named, args);
else if (name === 'results') writeResultsPage(benches);
else if (['', '--tiny', '--write'].includes(name) && args.length === 0) every(name);
else usage();

async function one(bench: Bench, args: readonly string[]): Promise<void> {
  const { options, write, json, compare: commit } = askedOf(bench, args);
  if (commit !== undefined) return print(tableOf(compare(bench, options, commit)));
  if (!json) print(`\n${bench.name}: ${bench.description}`);
  const result = await measure(bench, options, (row) => {
    const cells = Object.entries(row).map(([column, cell]) => `${column} ${textOf(cell)}`);
    if (!json) process.stderr.write(`  ${cells.join(', ')}\n`);
  });
  if (json) return print(JSON.stringify(result));
  print(`\n${tableOf(result.rows)}\n${verdictTable(verdictsOn(bench, result.rows))}`);
  if (!write) return;
  keep(result);
  writeResultsPage(benches);
}

/** A process for each, so that none finds the heap that another has left. */
function every(flag: string): void {
  const flags = flag === '' ? [] : [flag];
  for (const bench of benches) {
    const command = [import.meta.filename, bench.name, ...flags];
    const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

function usage(): void {
  print('usage: npm run bench [-- --tiny | --write]');
  print('       npm run bench -- NAME [--tiny] [--write | --json | --compare COMMIT] [options]');
  print('       npm run bench -- results    (RESULTS.md again, from the kept results)');
  for (const { name, description, full } of benches)
    print(`\n${name}: ${description}\n  ${flagsOf(full).join(' ')}`);
  process.exitCode = 2;
}
