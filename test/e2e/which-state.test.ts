// Rehearsed and hosted never mix: one rule decides which state file a command means, and every line to copy keeps to it.
import { expect, test } from 'vitest';
import { bill, type Ended, envOf, photoRig, type Rig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';

type Env = Readonly<Record<string, string>>;

const hosted = 'photos.state.jsonl';
const rehearsed = '.shotlist/rehearsal/photos/state.jsonl';

/** Every command that reads a state file, with what it needs. */
const commands: readonly (readonly string[])[] = [
  ...[['status'], ['status', '--items'], ['report'], ['audit'], ['refresh'], ['repair']],
  ...[
    ['prune', '--yes'],
    ['pick', 'swap:p1.png', '2'],
  ],
  ...[['resolve', 'swap:p1.png', '--abandon'], ['ui']],
];

const another = ['reroll', 'swap:p1.png', '--pictures', 'plain'];

async function rehearsal(): Promise<Rig> {
  const rig = await photoRig(1);
  expect((await rig.command(['run', 'pipeline.yaml', '--rehearse'])).code).toBe(0);
  return rig;
}

const says = (rig: Rig, [name = '', ...more]: readonly string[], env: Env): Promise<Ended> =>
  rig.command([name, 'pipeline.yaml', ...more], env);

/** What follows `Next: ` in the output, as the arguments of a command. */
function nextOf({ stdout }: Ended): readonly string[] {
  const line = /^Next: shotlist (.+)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`no next line in ${stdout}`);
  return line.split(' ');
}

test('with a key and an address, and only a rehearsal so far, every command is refused and says what to add; --rehearse is about the rehearsal, says so first, and leads nowhere else', async () => {
  const rig = await rehearsal();
  const local = await service();
  const env = envOf(local);
  const before = rig.read(rehearsed);
  for (const command of commands) {
    const { code, stdout, stderr } = await says(rig, command, env);
    expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' });
    expect(stderr).toContain(`no state file of the hosted service yet: ${hosted}`);
    expect(stderr).toContain('add --rehearse');
  }
  // A key alone, the file of a key, an address, or service: in the pipeline say the same.
  for (const [name, value] of [
    ['SHOTLIST_API_KEY', 'k'],
    ['SHOTLIST_API_KEY_FILE', '/nowhere'],
    ['SHOTLIST_BASE_URL', 'http://127.0.0.1:9'],
  ] as const)
    expect((await says(rig, ['audit'], { [name]: value })).stderr).toContain('add --rehearse');
  const text = rig.read('pipeline.yaml');
  rig.write('pipeline.yaml', `service: http://127.0.0.1:9\n${text}`);
  expect((await says(rig, ['audit'], {})).stderr).toContain('add --rehearse');
  rig.write('pipeline.yaml', text);
  expect(rig.read(rehearsed)).toBe(before);

  await says(rig, [...another, '--rehearse'], env);
  const audited = await says(rig, ['audit', '--rehearse'], env);
  expect(audited.stdout).toMatch(/^Rehearsal: /);
  const picked = await says(rig, ['pick', 'swap:p1.png', '2', '--rehearse'], env);
  expect(picked.stdout).toMatch(/^Rehearsal: /);
  const next = nextOf(picked);
  expect(next).toContain('--rehearse');
  expect((await rig.command(next, env)).code).toBe(0);
  expect(bill(local.ledger()).size).toBe(0);
  const status = await says(rig, ['status', '--rehearse'], env);
  expect(status.stdout).toMatch(/^\S+state\.jsonl \(rehearsal\)/);
});

test('with neither key nor address, a rehearsal needs no flag, and is named', async () => {
  const rig = await rehearsal();
  const { code, stdout } = await says(rig, ['audit'], {});
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Rehearsal: /);
  await says(rig, another, {});
  const next = nextOf(await says(rig, ['pick', 'swap:p1.png', '2'], {}));
  expect(next).toEqual(['run', 'pipeline.yaml']);
});

longTest('with both state files, the key decides; without one, nothing is guessed', async () => {
  const rig = await rehearsal();
  const local = await service();
  await rig.run(local);
  for (const command of commands.filter((_, index) => index % 3 === 0)) {
    const { code, stderr } = await says(rig, command, {});
    expect({ command, code }).toEqual({ command, code: 2 });
    expect(stderr).toContain('add --hosted or --rehearse');
  }
  const { code, stdout } = await says(rig, ['audit'], envOf(local));
  expect({ code, first: stdout.split('\n')[0] }).toEqual({
    code: 0,
    first: `Service: ${local.address}`,
  });
  // A line that is printed without a key says what it means.
  await says(rig, [...another, '--rehearse'], {});
  const taken = await says(rig, ['pick', 'swap:p1.png', '2', '--rehearse'], {});
  expect(nextOf(taken)).toContain('--rehearse');
});

test('of a hosted state alone, a clone without a key can read, and its lines stay hosted', async () => {
  const rig = await photoRig(1);
  const local = await service();
  await rig.run(local);
  const status = await says(rig, ['status', '--failed'], {});
  expect(status.stdout).toMatch(new RegExp(`^Service: ${local.address}\n`));
  await says(rig, another, envOf(local));
  const next = nextOf(await says(rig, ['pick', 'swap:p1.png', '2'], {}));
  expect(next).toContain('--hosted');
});

test('a file that --state names says itself whose it is', async () => {
  const rig = await photoRig(1);
  const local = await service();
  await says(rig, ['run', '--rehearse', '--state', 'tried.jsonl'], {});
  const audited = await says(rig, ['audit', '--state', 'tried.jsonl'], envOf(local));
  expect(audited.stdout).toMatch(/^Rehearsal: /);
  const own = ['--rehearse', '--state', 'tried.jsonl'];
  const { stdout } = await says(rig, [...another, ...own], envOf(local));
  expect(stdout).toContain(
    'shotlist pick pipeline.yaml swap:p1.png 2 --state tried.jsonl --rehearse',
  );
});
