// `npm run torture -- --of service --rounds 100 --seed 1`: kills what must survive, again and again, and looks at what
// is left. Exit code 1 when a promise was broken.
import { parseArgs } from 'node:util';
import { tortureService } from './service.ts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'service' },
    rounds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});

if (values.of === 'service') {
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  const began = Date.now();
  const { projects, events, violations } = await tortureService({ rounds, seed, say: print });
  const seconds = Math.round((Date.now() - began) / 1000);
  for (const violation of violations) print(`violation: ${violation}`);
  print(
    `${rounds} kills, seed ${seed}, ${seconds} s: ${projects} projects, ${events} events, ${violations.length} violations`,
  );
  process.exitCode = violations.length === 0 ? 0 : 1;
} else {
  print('usage: npm run torture -- --of service [--rounds N] [--seed S]');
  process.exitCode = 2;
}
