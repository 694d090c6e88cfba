// RESULTS.md, from the results that were kept.
import { writeFileSync } from 'node:fs';
import { type Bench, verdictsOn } from './bench.ts';
import { kept, type Result, root } from './result.ts';
import { tableOf, textOf, verdictTable } from './table.ts';

export const resultsFile = `${root}/bench/RESULTS.md`;

export const writeResultsPage = (benches: readonly Bench[]): void =>
  writeFileSync(resultsFile, resultsPage(benches));

export function resultsPage(benches: readonly Bench[]): string {
  const measured = benches.flatMap((bench) => {
    const result = kept(bench);
    return result === undefined ? [] : [{ bench, result }];
  });
  const without = benches.filter((bench) => measured.every((one) => one.bench !== bench));
  const verdicts = measured.flatMap(({ bench, result }) => verdictsOn(bench, result.rows));
  const missed = measured.flatMap(({ bench, result }) =>
    verdictsOn(bench, result.rows)
      .filter(({ reached }) => !reached)
      .map(
        ({ goal, figure, obstacle }) =>
          `- [${bench.name}](#${bench.name}): ${goal} is missed, with ${textOf(figure)}. ${obstacle}\n`,
      ),
  );
  const reached = verdicts.length - missed.length;
  return [
    '# Results\n\n',
    'Made by `npm run bench -- --write` from `bench/results/*.json`; [README.md](README.md) says how the figures are taken. ',
    'A cell such as `0.43 (0.40 to 0.47)` is the median of several measurements, and their range.\n\n',
    verdicts.length === 0
      ? ''
      : `${reached} of ${verdicts.length} goals are reached${missed.length === 0 ? '' : `; ${missed.length} are missed`}.\n\n`,
    ...missed,
    ...(missed.length === 0 ? [] : ['\n']),
    ...(without.length === 0
      ? []
      : [`Without a kept result: ${without.map(({ name }) => name).join(', ')}.\n\n`]),
    measured.map(section).join('\n'),
  ].join('');
}

function section({ bench, result }: { readonly bench: Bench; readonly result: Result }): string {
  const { machine, versions, options } = result;
  const verdicts = verdictTable(verdictsOn(bench, result.rows));
  return [
    `## ${bench.name}\n\n${bench.description}\n\n`,
    ...(verdicts === '' ? [] : [`${verdicts}\n`]),
    `${tableOf(result.rows)}\n`,
    `${result.date.slice(0, 10)}, commit ${versions.commit}, Node.js ${versions.node}, ${machine.cores} cores (${machine.cpu}), `,
    `${machine.memoryGb} GB, ${machine.os}, load average ${machine.load.join(' before and ')} after; `,
    `${Object.entries(options)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}.\n`,
    ...(Math.max(...machine.load) > machine.cores
      ? ['The machine was busy with other work: ratios count, rates and times do not.\n']
      : []),
  ].join('');
}
