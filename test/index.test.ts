// The examples in the comments of the library run. That they compile is in e2e/published-types.test.ts.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as library from '../src/index.ts';
import { examplesInComments } from './examples.ts';
import { ended, Rig } from './rig.ts';
import { longTest } from './sweep.ts';

const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));
const examples = examplesInComments();
const sourceOf = (example: string): string => example.replace("'shotlist'", JSON.stringify(index));

const pipeline = `pipeline: p
inputs: { text: { type: string, default: x } }
items: { values: [{ key: one }] }
steps:
  make:
    uses: ai-qr-code-generator
    with: { content: "\${{ inputs.text }} \${{ item.key }}", style: { art_style: plain } }
  save: { uses: download, with: { of: make, to: "\${{ item.key }}.png" } }
`;

/** What one line of its output says; nothing else is said. */
const says: Readonly<Record<string, RegExp>> = {
  audit: /^0 differences$/,
  graph: /^flowchart TD$/m,
  init: /^codes\.yaml 2$/,
  loadPipeline: /^p$/,
  openLivePage: /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/m,
  plan: /^at most 0 credits$/,
  proposeTools: /^\d ai-\S+$/,
  prune: /^0 files removed$/,
  receipts: /^0 receipts 0/,
  refresh: /^1 projects read$/,
  repair: /^$/,
  report: /report\.html \d+$/,
  resolvedPipeline: /^# pipeline\.yaml as it is run\npipeline: p$/m,
  resolveAll: /^0$/,
  resolve: /make:one is not in doubt: it is complete/,
  run: /^done 0$/m,
  schedule: /has no schedule/,
  startService: /^http:\/\/127\.0\.0\.1:\d+$/,
  status: /^0 0$/,
  tick: /^done undefined$/m,
  trust: /names no service/,
  validate: /make.*save/,
  watch: /lists its items as values/,
  worker: /SHOTLIST_WORKER_SECRET is not set/,
  planReroll: /^another take costs \d+ credits$/,
  reroll: /^\[ 2 \]$/,
  pick: /^2$/,
};

/** Shown in the examples of operations. */
const others = [
  'Refusal',
  'UnrunnablePlan',
  'renderProblem',
  'distrust',
  'orphans',
  'trustedFiles',
];

/** The operation that an example is for: the first of `says` that it calls. */
const subjectOf = (example: string): string =>
  Object.keys(says).find(
    (name) =>
      new RegExp(`(= |await )${name}\\(`).test(example) &&
      (name !== 'loadPipeline' || !/\(pipeline[,)]/.test(example)),
  ) ?? '';

describe('the examples of the library', () => {
  test('are there for every operation', () => {
    const operations = Object.entries(library)
      .filter(([name]) => !others.includes(name))
      .filter(([name]) => !/^[a-z]+Receipts$/.test(name))
      .map(([name]) => name);
    expect(examples.map(subjectOf).sort()).toEqual(operations.sort());
    expect(Object.keys(says).sort()).toEqual(operations.sort());
  });

  longTest('run, one after another on the same pipeline', async () => {
    const rig = new Rig(pipeline);
    const { SHOTLIST_API_KEY: _key, SHOTLIST_BASE_URL: _address, ...env } = process.env;
    const first = ['validate', 'loadPipeline', 'plan', 'run'];
    const order = [...first, ...Object.keys(says).filter((name) => !first.includes(name))];
    // In one process, because each would load the library again.
    const all = [
      "const told = (error) => { if (error.code !== 'REFUSED') throw error; console.log(error.message); };",
    ];
    for (const name of order) {
      const example = examples.find((one) => subjectOf(one) === name) ?? '';
      rig.write(`${name}.ts`, sourceOf(example));
      all.push(`await import('./${name}.ts').catch(told);`, `console.log('end of ${name}');`);
    }
    rig.write('all.ts', all.join('\n'));
    const child = spawn(process.execPath, [rig.path('all.ts')], {
      ...{ cwd: rig.folder, env: { ...env, XDG_STATE_HOME: rig.path('.state') } },
    });
    const { stdout, stderr, code } = await ended(child);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    let output = stdout;
    for (const name of order) {
      const [said = '', ...later] = output.split(`end of ${name}\n`);
      expect(said.trim(), name).toMatch(says[name] ?? /never/);
      output = later.join('');
    }
  });
});
