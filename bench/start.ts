// How long short commands take as whole processes, in turn with `node -e 0`, so that another load of the machine slows both.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf } from './command.ts';
import {
  type Bench,
  defineBench,
  type Goal,
  type Row,
  type Spread,
  spreadOf,
} from './frame/bench.ts';

const edits = Array.from(
  { length: 24 },
  (_, index) => `  edit${index}:
    uses: ai-image-editor
    if: item.stem != "skip${index}"
    with:
      model: nano-banana-pro
      style: { prompt: "variant ${index} of \${{ slug(item.stem) }}" }
      assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] }
  save${index}: { uses: download, with: { of: edit${index}, to: "\${{ item.stem }}-${index}.png" } }
`,
);

const fiftySteps = `pipeline: fifty
items: { glob: photos/*.jpg }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
${edits.join('')}`;

const table = `pipeline: greetings
items: { csv: people.csv, key: email, when: item.country == "DE" }
steps:
  voice: { uses: ai-voice-generator, with: { style: { voice_name: Morgan Freeman, prompt: "Hello, \${{ item.name }}!" } } }
  save: { uses: download, with: { of: voice, to: "\${{ slug(item.name) }}.mp3" } }
`;

const rows = Array.from({ length: 1000 }, (_, row) => `p${row}@example.com,Person ${row},DE`);

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ratio = '× node -e 0';

/** A pipeline with six photographs. */
function writeDemo(folder: string): void {
  const samples = here('../node_modules/@vladmandic/face-api/demo');
  for (const path of ['pipelines', 'media/photos'])
    mkdirSync(join(folder, path), { recursive: true });
  const pipeline = 'pipelines/face-swap-photos.yaml';
  copyFileSync(here(`../${pipeline}`), join(folder, pipeline));
  copyFileSync(join(samples, 'sample1.jpg'), join(folder, 'media/actor.jpg'));
  for (const number of [1, 2, 3, 4, 5, 6])
    copyFileSync(join(samples, `sample${number}.jpg`), join(folder, `media/photos/${number}.jpg`));
}

const spreadOn =
  (command: string, name: string): Goal['figure'] =>
  (rows) => {
    const cell = rows.find(({ what }) => what === command)?.[name];
    return typeof cell === 'object' ? cell : undefined;
  };

const tooMuch = 'Loading and compiling the modules that the command needs.';

export const start: Bench = defineBench({
  name: 'start',
  description:
    'Wall and processor time of short commands as whole processes, beside Node.js itself. The built package (`npm run build` first), or the sources.',
  full: { pairs: 10, of: 'dist' },
  tiny: { pairs: 1, of: 'src' },
  goals: [
    {
      what: '--help, wall time, × node -e 0',
      bound: { atMost: 2.2 },
      figure: spreadOn('--help', ratio),
      obstacle: tooMuch,
    },
    {
      what: 'validate of 50 steps, wall ms',
      bound: { atMost: 100 },
      figure: spreadOn('validate, 50 steps', 'wall ms'),
      obstacle: tooMuch,
    },
    {
      what: 'plan of the demo, wall ms',
      bound: { atMost: 150 },
      figure: spreadOn('plan of the demo', 'wall ms'),
      obstacle: tooMuch,
    },
  ],
  async *run({ pairs, of }) {
    const command = commandOf(of);
    const starts: readonly (readonly [string, readonly string[]])[] = [
      ['node -e 0', ['-e', '0']],
      ['--help', [command, '--help']],
      ['validate, 50 steps', [command, 'validate', 'fifty.yaml']],
      ['validate, 1,000 rows of a CSV', [command, 'validate', 'table.yaml']],
      [
        'plan of the demo',
        [command, 'plan', 'pipelines/face-swap-photos.yaml', '--rehearse', '--allow-outside'],
      ],
    ];
    const folder = mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
    try {
      writeFileSync(join(folder, 'fifty.yaml'), fiftySteps);
      writeFileSync(join(folder, 'table.yaml'), table);
      writeFileSync(join(folder, 'people.csv'), `email,name,country\n${rows.join('\n')}\n`);
      writeDemo(folder);
      const report = join(folder, 'report.cjs');
      writeFileSync(report, reporter);
      // The first round fills the cache of compiled code, and does not count.
      for (const [, args] of starts) once(folder, report, args);
      const rounds = Array.from({ length: pairs }, () =>
        starts.map(([, args]) => once(folder, report, args)),
      );
      for (const [index, [what]] of starts.entries())
        yield rowOf(what, rounds, (round) => round[index] ?? { wall: 0, processor: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Times {
  readonly wall: number;
  readonly processor: number;
}

function rowOf(
  what: string,
  rounds: readonly (readonly Times[])[],
  of: (round: readonly Times[]) => Times,
): Row {
  const spread = (figure: (times: Times, bare: Times) => number): Spread => {
    const values = rounds.map((round) => figure(of(round), round[0] ?? of(round)));
    const found = spreadOf(values);
    if (found === undefined) throw new Error('start needs at least one pair');
    return found;
  };
  return {
    what,
    'wall ms': spread(({ wall }) => wall),
    'processor ms': spread(({ processor }) => processor),
    [ratio]: spread(({ wall }, bare) => wall / bare.wall),
  };
}

/** A process tells its own processor time when it ends. */
const reporter = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(__filename + '.ms', String((user + system) / 1000));
});`;

function once(cwd: string, report: string, args: readonly string[]): Times {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['-r', report, ...args], { cwd });
  const wall = performance.now() - began;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return { wall, processor: Number(readFileSync(`${report}.ms`, 'utf8')) };
}
