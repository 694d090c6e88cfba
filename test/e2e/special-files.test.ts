// Names that stand for something else than a file or a folder of one's own: a named pipe, a device, /proc. None of them
// may hold a command up, and none is written to.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/terminal/log.ts';
import { Rig } from '../rig.ts';
import { makePipe } from '../small-disk.ts';

const pipeline = `pipeline: p
steps:
  note: { uses: upload, with: { file: a.png } }
`;

function rigWith(): Rig {
  const rig = new Rig(pipeline);
  rig.write('a.png', 'x');
  rig.write('photo.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]));
  rig.write('large.key', 'k'.repeat(4_001));
  if (!makePipe(rig.path('pipe'))) throw new Error('mkfifo is missing');
  return rig;
}

const service = { SHOTLIST_BASE_URL: 'http://127.0.0.1:9' };
const run = ['run', 'pipeline.yaml', '--rehearse'];

type Row = readonly [name: string, args: readonly string[], sentence: string, env?: Env];
type Env = Readonly<Record<string, string>>;

const rows: readonly Row[] = [
  ['pipeline that is a named pipe', ['plan', 'pipe'], 'the pipeline file is a named pipe, not'],
  ['pipeline that is a device', ['validate', '/dev/zero'], 'the pipeline file is a device, not'],
  ['pipeline of 10 MB', ['plan', 'large.yaml'], 'the pipeline file is larger than 10 MB'],
  ['state file that is a named pipe', [...run, '--state', 'pipe'], 'pipe is a named pipe, not'],
  [
    'state file that is a device',
    ['status', 'pipeline.yaml', '--state', '/dev/zero'],
    '/dev/zero is a device, not a regular file',
  ],
  [
    'state file to repair that is a named pipe',
    ['repair', 'pipeline.yaml', '--state', 'pipe'],
    'pipe is a named pipe, not a regular file',
  ],
  [
    'key file that is a named pipe',
    ['plan', 'pipeline.yaml'],
    'the key file pipe (SHOTLIST_API_KEY_FILE) is a named pipe, not a regular file',
    { ...service, SHOTLIST_API_KEY_FILE: 'pipe' },
  ],
  [
    'key file of 4 KB',
    ['plan', 'pipeline.yaml'],
    'the key file large.key (SHOTLIST_API_KEY_FILE) is larger than 4 KB',
    { ...service, SHOTLIST_API_KEY_FILE: 'large.key' },
  ],
  [
    'faults file that is a named pipe',
    ['serve', '--faults', 'pipe'],
    'the faults file is a named pipe, not a regular file',
  ],
  ['log that is a named pipe', [...run, '--log', 'pipe'], 'the log pipe is a named pipe, not'],
  ['log that is a device', [...run, '--log', '/dev/full'], 'the log /dev/full is a device, not'],
  [
    'log below /proc',
    [...run, '--log', '/proc/x/y'],
    'this file system does not allow new folders',
  ],
  [
    'log that is the pipeline',
    [...run, '--log', 'pipeline.yaml'],
    'the log pipeline.yaml exists and is not a log of shotlist: nothing was appended',
  ],
  [
    'log that is the state file to be',
    [...run, '--log', 's.jsonl', '--state', 's.jsonl'],
    '--log s.jsonl names a state file: name another file',
  ],
  [
    'output folder below /proc',
    [...run, '--output', '/proc/x'],
    'the folder /proc/x could not be created: this file system does not allow new folders\n  downloads could not be saved there: choose another folder',
  ],
  [
    'output folder that is a file',
    ['plan', 'pipeline.yaml', '--output', 'a.png'],
    'a.png is a file, not a folder\n  choose another folder with --output',
  ],
  [
    'output folder that is a file, in a run',
    [...run, '--output', 'a.png'],
    'a.png is a file, not a folder\n  choose another folder with --output',
  ],
  [
    'state file below /proc',
    ['refresh', 'pipeline.yaml', '--state', '/proc/x/s.jsonl'],
    'could not be created: this file system does not allow new folders',
  ],
  ['data folder below /proc', ['serve', '--data', '/proc/x'], 'does not allow new folders'],
];
const cases = rows.map(([name, args, sentence, env = {}]) => ({ name, args, sentence, env }));

describe.skipIf(!existsSync('/dev/zero') || !existsSync('/proc/self'))('a command (Linux)', () => {
  test.each(cases)('with a $name is refused with a sentence', async ({ args, sentence, env }) => {
    const rig = rigWith();
    if (args.includes('large.yaml')) rig.write('large.yaml', Buffer.alloc(10_000_001, '#'));
    const before = rig.files('.');
    const { code, stderr } = await rig.command(args, env);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(code).toBe(2);
    expect(rig.files('.').filter((name) => !name.startsWith('.shotlist/'))).toEqual(before);
    expect(rig.read('pipeline.yaml')).toBe(pipeline);
  });
});

describe('--log', () => {
  test('appends to a new file, an empty one, and to a log of an earlier run', async () => {
    const rig = rigWith();
    const file = rig.path('logs/run.log');
    const lines = (): number => readFileSync(file, 'utf8').split('\n').length - 1;
    expect((await rig.command([...run, '--log', 'logs/run.log'])).code).toBe(0);
    const first = lines();
    expect(first).toBeGreaterThan(2);
    expect((await rig.command([...run, '--log', 'logs/run.log'])).code).toBe(0);
    expect(lines()).toBeGreaterThan(first);
    writeFileSync(file, '');
    const log = openLog({ log: file });
    expect(log.ok).toBe(true);
    if (log.ok) log.value.close();
  });
});
