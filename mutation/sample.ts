// A random sample of the mutants: blocks of lines, drawn by a seed, from every file that Stryker would mutate.
// A whole run takes hours; a sample of one line in ten says within a few per cent what its score would be.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chanceOf } from '../src/base/chance.ts';

/** Lines in a block: enough that most mutants lie in one block whole. */
const blockLines = 12;

const { values } = parseArgs({
  options: {
    in: {
      type: 'string',
      default: 'src/{run,plan,model,files,service-api,state,stores,distributed}/**/*.ts',
    },
    'one-in': { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const chance = chanceOf(Number(values.seed), 0);
const oneIn = Number(values['one-in']);
const blocks: string[] = [];
for (const file of globSync(values.in).sort()) {
  const lines = readFileSync(file, 'utf8').split('\n').length;
  for (let from = 1; from <= lines; from += blockLines)
    if (chance() * oneIn < 1) blocks.push(`${file}:${from}-${from + blockLines - 1}`);
}
process.stdout.write(`${blocks.length} blocks of ${blockLines} lines, seed ${values.seed}\n`);
const { status } = spawnSync(
  'stryker',
  ['run', 'mutation/stryker.config.json', '--mutate', blocks.join(',')],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
