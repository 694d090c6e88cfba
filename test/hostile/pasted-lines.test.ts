// Lines that commands print to be copied, pasted into a real shell: names of files and cells of tables run nothing in them.
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hostileNames, Paster } from '../pasted.ts';
import { dataIn } from '../reported.ts';
import { envOf, Rig, service } from '../rig.ts';

const pipeline = `pipeline: p
items: { csv: rows.csv, key: name }
output: out
limits: { items: 1 }
steps:
  make: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "a mug, \${{ item.n }}" } } }
  save: { uses: download, with: { of: make, to: "\${{ item.n }}.png" } }
`;

/** A stranger names the file and its state file, too. */
const file = "$(touch pwned) it's a & b.yaml";
const state = '`touch pwned`.state.jsonl';

/** From the name of the command to the end of the line; prose may follow it. */
const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap(
      (line) => /\b(?:shotlist [a-z][a-z-]* |rm |git (?:add|checkout) ).*$/.exec(line)?.[0] ?? [],
    );

/** Pastes all of them into both shells, as they are printed and with something in place of `<its id>`; gives what ran in bash. */
function paste(lines: readonly string[]): readonly (readonly string[])[] {
  expect(lines).not.toEqual([]);
  const paster = new Paster();
  const filledIn = lines.map((line) => line.replace(/<[a-z ]+>/g, 'it'));
  for (const shell of ['sh', 'bash'] as const)
    for (const pasted of [lines, filledIn])
      expect(paster.paste(pasted, shell).left, pasted.join('\n')).toEqual([]);
  return paster.paste(filledIn, 'bash').ran;
}

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function rowsOf(names: readonly string[], name = file): Rig {
  const rig = new Rig(pipeline);
  writeFileSync(rig.path(name), pipeline);
  rig.write('rows.csv', ['name,n', ...names.map((key, n) => `${cell(key)},${n}`), ''].join('\n'));
  return rig;
}

const subject = [file, '--state', state];

describe('pasted into sh and into bash, nothing runs but the command:', () => {
  test('about doubts and takes', async () => {
    // Every other creation loses its answer: more in a row would be an outage.
    const names = hostileNames.slice(8, 14);
    const doubted = names.filter((_, n) => n % 2 === 0);
    const done = names.filter((_, n) => n % 2 === 1);
    const lost = { fault: 'reset', on: 'POST /v1/ai-image-generator', when: 'after' } as const;
    const faults = doubted.map((_, n) => ({ ...lost, skip: n, count: 1 }));
    const [rig, local] = [rowsOf(names), await service({ faults: { faults } })];
    const env = envOf(local);
    const ran = await rig.command(['run', ...subject, '--yes'], env);
    expect(paste(linesIn(ran.stdout))).toContainEqual([
      ...['shotlist', 'status', file, 'shows', 'how.'],
    ]);

    const tasks = done.map((name) => `make:${name}`);
    const rerolled = await rig.command(['reroll', ...subject, '--yes', ...tasks], env);
    const picks = tasks.map((task) => ['shotlist', 'pick', file, task, '2', '--state', state]);
    expect(paste(linesIn(rerolled.stdout))).toEqual(expect.arrayContaining(picks));

    await rig.command(['report', ...subject, '--out', 'report.html'], env);
    const { doubts, items } = dataIn(rig.read('report.html'));
    const answers = doubts.flatMap(({ commands = {} }) => [...Object.values(commands)]);
    expect(paste(answers)).toEqual(
      doubted.flatMap((name) =>
        [['--project', 'it'], ['--not-charged'], ['--abandon']].map((end) => [
          ...['shotlist', 'resolve', file, `make:${name}`],
          ...end,
        ]),
      ),
    );
    const takes = items.flatMap(({ tasks }) => tasks.flatMap((task) => task.takes ?? []));
    expect(paste(takes.flatMap(({ command }) => command ?? []))).toEqual(
      tasks.map((task) => ['shotlist', 'pick', file, task, '2']),
    );
  });

  test('about one doubt', async () => {
    const name = "-'; touch pwned; '$(touch pwned)";
    const lost = { fault: 'reset', on: 'POST /v1/ai-image-generator', when: 'after' } as const;
    const faults = { faults: [{ ...lost, count: 1 }] };
    const [rig, local] = [rowsOf([name, '-b']), await service({ faults })];
    const env = envOf(local);
    await rig.command(['run', ...subject, '--yes'], env);
    const status = await rig.command(['status', ...subject], env);
    expect(paste(linesIn(status.stdout))).toContainEqual([
      ...['shotlist', 'resolve', file, `make:${name}`, '--state', state, '--not-charged'],
    ]);
  });

  test('about a state file that is damaged, and a copy beside it', async () => {
    const [rig, local] = [rowsOf(['a']), await service()];
    const env = envOf(local);
    const git = (...args: readonly string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: rig.folder,
      });
    await rig.command(['run', ...subject], env);
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'a');
    appendFileSync(rig.path(state), 'x\n{}\n');
    const damaged = await rig.command(['status', ...subject], env);
    const about = [file, '--state', state, '--hosted'];
    expect(paste(linesIn(damaged.stderr))).toEqual([['shotlist', 'repair', ...about]]);
    const repair = await rig.command(['repair', ...subject], env);
    const again = ['shotlist', 'repair', file, '--state', state];
    expect(paste(linesIn(repair.stdout))).toEqual([[...again, '--write']]);
    copyFileSync(rig.path(state), rig.path(state.replace('.jsonl', ' (1).jsonl')));
    const copied = await rig.command(['repair', ...subject, '--write'], env);
    expect(paste(linesIn(copied.stdout))).toEqual([['rm', state.replace('.jsonl', ' (1).jsonl')]]);
  });

  test('about the next command', async () => {
    const rig = rowsOf(['a'], '-$(touch pwned).yaml');
    const name = '-$(touch pwned).yaml';
    rmSync(rig.file);
    const planned = await rig.command(['plan', '--', name]);
    expect(paste(linesIn(planned.stdout))).toEqual([['shotlist', 'run', '--', name]]);
    const alone = await rig.command([]);
    expect(paste(linesIn(alone.stdout))).toContainEqual(['shotlist', 'plan', '--', name]);
    const lacking = await rig.command(['plan']);
    expect(paste(linesIn(lacking.stderr.replace('?)', '')))).toContainEqual([
      'shotlist',
      'plan',
      '--',
      name,
    ]);
  });
});
