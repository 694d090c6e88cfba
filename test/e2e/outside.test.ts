// A cloned repository beside files of the user: its pipeline reads and writes nothing outside of it, through links
// neither, unless the user allows it. Real git, real links, the real command.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { renderDiagnostics } from '../../src/contract/yaml/diagnostic.ts';
import { plan, UnrunnablePlan } from '../../src/features/plan/plan.ts';
import { type RunOptions, runWith } from '../../src/features/run/run.ts';
import { type LoadOptions, loadPipeline } from '../../src/language/load/load.ts';
import { type Problem, renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { privateFolderOf } from '../../src/state/private-folder.ts';
import { exitCodes } from '../../src/terminal/exit-code.ts';
import { planText } from '../../src/views/plan-text.ts';
import { summaryText } from '../../src/views/summary-text.ts';
import { type Ended, photo, Rig } from '../rig.ts';

/** Uploads one file that all items share, and each item; no item needs a service beyond that. */
const pipeline = (file: string, more = ''): string =>
  `pipeline: p\n${more}steps:\n  shared: { uses: upload, with: { file: ${JSON.stringify(file)} } }\n`;

const swaps = `pipeline: p
items: { glob: "photos/**/*.png" }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
`;

const download = (to: string, more = ''): string => `pipeline: p
${more}steps:
  clip:
    uses: text-to-video
    with: { end_seconds: 3, orientation: landscape, style: { prompt: a harbour } }
  save: { uses: download, with: { of: clip, to: ${JSON.stringify(to)} } }
`;

let rig: Rig;
let secret: Buffer;
/** The home folder holds .ssh and repository, a checkout of what a stranger published. */
beforeEach(async () => {
  rig = new Rig('');
  vi.stubEnv('HOME', rig.folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  secret = await photo(4711);
  rig.write('.ssh/id_rsa', secret);
  rig.write('.ssh/authorized_keys', 'ssh-ed25519 mine');
  rig.write('media/a.png', secret);
  rig.write('origin/photos/p1.png', await photo(1));
});

const repository = (): string => rig.path('repository');

/** Publishes a pipeline and links, and clones them. */
function clone(text: string, links: Readonly<Record<string, string>> = {}): void {
  const origin = rig.path('origin');
  rig.write('origin/pipeline.yaml', text);
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(origin, name)), { recursive: true });
    symlinkSync(target, join(origin, name));
  }
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', args, { cwd: origin, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '--all');
  const author = [
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  git(...author, 'commit', '--quiet', '--message', 'x');
  git('clone', '--quiet', origin, repository());
}

/** The real command, in a rehearsal. */
async function command(...args: readonly string[]): Promise<Ended> {
  const [name = '', ...rest] = args;
  const env = { HOME: rig.folder, XDG_STATE_HOME: rig.path('state'), CAMPAIGN: 'spring' };
  return await rig.command([name, 'repository/pipeline.yaml', '--rehearse', ...rest], env);
}

interface Said {
  readonly code: number;
  readonly text: string;
}

type Given = RunOptions & LoadOptions & { readonly file?: string };

const refused = (problem: Problem): Said => ({ code: 2, text: renderProblem(problem) });

/** The same in this process: many commands take their time. */
async function rehearse(what: 'plan' | 'run', { file, ...options }: Given = {}): Promise<Said> {
  const loaded = await resultOf(() =>
    loadPipeline(file ?? join(repository(), 'pipeline.yaml'), options),
  );
  if (!loaded.ok) return refused(loaded.error);
  if (what === 'plan') {
    const made = await resultOf(() =>
      plan(loaded.value, { ...options, rehearse: true }).catch((error: unknown) => {
        if (error instanceof UnrunnablePlan) return error;
        throw error;
      }),
    );
    if (!made.ok) return refused(made.error);
    const [answer, problems] =
      made.value instanceof UnrunnablePlan
        ? [made.value.planned, made.value.problem.diagnostics]
        : [made.value, []];
    const { plan: found, warnings, outside } = answer;
    const { text } = loaded.value;
    const said = [planText(found), ...warnings, ...outside, renderDiagnostics(problems, text)].join(
      '\n',
    );
    return { code: problems.length > 0 ? 2 : found.badItems > 0 ? 1 : 0, text: said };
  }
  const terms = { ...options, rehearse: true, rehearsalPictures: 'plain' } as const;
  const ran = await resultOf(() => runWith(loaded.value, terms, { backoffMs: 1 }));
  if (!ran.ok) return refused(ran.error);
  const { summary } = ran.value;
  return { code: exitCodes[summary.outcome], text: summaryText(summary, ran.value) };
}

const privateFolder = (): string => privateFolderOf(repository());

/** Files that hold what the user's files hold, as an upload leaves one with the local service. */
function leaks(): readonly string[] {
  const own = [join(repository(), '.shotlist'), privateFolder(), rig.path('state')];
  return own
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(secret));
}

/** The user's own files are as they were, and none was uploaded. */
function unharmed(): void {
  expect(leaks()).toEqual([]);
  expect(readFileSync(rig.path('.ssh/id_rsa'))).toEqual(secret);
  expect(rig.read('.ssh/authorized_keys')).toBe('ssh-ed25519 mine');
  expect(readdirSync(rig.path('.ssh')).sort()).toEqual(['authorized_keys', 'id_rsa']);
}

const outside = 'is outside the repository: use --allow-outside to allow it';

describe('a file that all items share is refused', () => {
  test('when it is behind links that lead out, or above the repository', async () => {
    clone(pipeline('pic.png'), {
      ...{ 'pic.png': '../.ssh/id_rsa', 'linked.png': 'next.png', 'next.png': '../.ssh/id_rsa' },
      media: '../media',
    });
    for (const file of [
      ...['pic.png', 'linked.png', 'media/a.png', '../media/a.png'],
      'photos/../media/a.png',
    ]) {
      writeFileSync(join(repository(), 'pipeline.yaml'), pipeline(file));
      for (const what of ['plan', 'run'] as const) {
        const { code, text } = await rehearse(what);
        expect(code, file).toBe(2);
        expect(text).toContain(`shared: ${file} ${outside}`);
        expect(text).toContain('shared: { uses: upload');
      }
    }
    unharmed();
  });

  test('when its path is absolute, or a link below /proc', async () => {
    clone(pipeline(rig.path('media/a.png')), { 'pic.png': '/proc/self/environ' });
    expect(await rehearse('run')).toMatchObject({
      code: 2,
      text: expect.stringContaining(outside),
    });
    writeFileSync(join(repository(), 'pipeline.yaml'), pipeline('pic.png'));
    expect(await rehearse('run')).toMatchObject({
      code: 2,
      text: expect.stringContaining('pic.png'),
    });
    unharmed();
  });

  test("when it is in git's own folder, which may hold a token", async () => {
    clone(pipeline('pic.png'), { 'pic.png': '.git/config' });
    const { code, text } = await rehearse('run');
    expect(code).toBe(2);
    expect(text).toContain('pic.png is in a .git folder: use --allow-outside');
  });

  test('but not when it is in the repository, above the pipeline or behind a link', async () => {
    clone(pipeline('link.png'), { 'link.png': 'photos/p1.png' });
    expect(await rehearse('run')).toMatchObject({ code: 0 });
    mkdirSync(join(repository(), 'pipelines'));
    writeFileSync(join(repository(), 'pipelines/q.yaml'), pipeline('../photos/p1.png'));
    const file = join(repository(), 'pipelines/q.yaml');
    expect(await rehearse('run', { file })).toMatchObject({ code: 0 });
  });
});

describe('the user allows', () => {
  test('everything with --allow-outside, and plan names it', async () => {
    clone(pipeline('pic.png'), { 'pic.png': '../.ssh/id_rsa' });
    const planned = await command('plan', '--allow-outside');
    expect(planned.code).toBe(0);
    const real = realpathSync(rig.path('.ssh/id_rsa'));
    expect(planned.stdout).toContain(
      `Reads outside the repository (--allow-outside):\n  ${real}\n`,
    );
    const json = await command('plan', '--allow-outside', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ outside: [real] });
    expect(await command('run', '--allow-outside')).toMatchObject({ code: 0 });
    expect(leaks()).toHaveLength(1);
  });

  test('a file that --input names, and no other', async () => {
    const text = pipeline(
      '${{ inputs.actor }}',
      'inputs: { actor: { type: file, default: pic.png } }\n',
    );
    clone(text, { 'pic.png': '../.ssh/id_rsa' });
    expect(await rehearse('run')).toMatchObject({ code: 2 });
    expect(await rehearse('run', { inputs: { actor: rig.path('media/a.png') } })).toMatchObject({
      code: 0,
    });
    const planned = await rehearse('plan', { inputs: { actor: rig.path('media/a.png') } });
    expect(planned.text).not.toContain('outside');
  });

  test('no link that the repository brings, by the name that it has there', async () => {
    const text = pipeline('${{ inputs.actor }}', 'inputs: { actor: { type: file } }\n');
    clone(text, { 'pic.png': '../.ssh/id_rsa', folder: '../media' });
    for (const name of ['repository/pic.png', 'repository/folder/a.png']) {
      const { code, text } = await rehearse('run', { inputs: { actor: rig.path(name) } });
      expect(code).toBe(2);
      expect(text).toContain(outside);
    }
    unharmed();
  });
});

describe('items', () => {
  test('whose file is outside fail alone, and plan names them', async () => {
    clone(swaps, { 'photos/p2.png': '../../.ssh/id_rsa' });
    const planned = await rehearse('plan');
    expect(planned.code).toBe(1);
    expect(planned.text).toContain(`(SL702)`);
    const { code, text } = await rehearse('run');
    expect(code).toBe(1);
    expect(text).toContain('photo:p2.png');
    unharmed();
    const state = readFileSync(join(repository(), '.shotlist/rehearsal/p/state.jsonl'), 'utf8');
    expect(state).toContain('p1.png');
    expect(state).not.toContain(rig.folder);
  });

  test('are not searched for behind a link that leads out, which a warning names', async () => {
    clone(swaps, { 'photos/more': '../../media' });
    const { code, text } = await rehearse('plan');
    expect(code).toBe(0);
    expect(text).toContain('1 item:');
    expect(text).toContain(`photos/more is a link that is not followed: it ${outside}`);
    const allowed = await rehearse('plan', { allowOutside: true });
    expect(allowed.text).toContain('2 items:');
    expect(allowed.text).toContain(realpathSync(rig.path('media/a.png')));
  });

  test('are not searched for in a folder outside, behind a link, or in .git', async () => {
    clone(swaps, { media: '../media' });
    for (const glob of ['../media/*.png', 'media/*.png', '.git/*']) {
      writeFileSync(join(repository(), 'pipeline.yaml'), swaps.replace('photos/**/*.png', glob));
      const { code, text } = await rehearse('plan');
      expect(code, glob).toBe(2);
      expect(text).toContain('pipeline.yaml:2:');
      expect(text).toMatch(
        /the folder \S+ is (outside the repository|in a \.git folder): use --allow-outside/,
      );
    }
  });

  test('named by an absolute glob need --allow-outside, too', async () => {
    clone(swaps.replace('photos/**/*.png', `${rig.path('media')}/*.png`));
    expect(await rehearse('plan')).toMatchObject({ code: 2 });
    expect(await rehearse('plan', { allowOutside: true })).toMatchObject({ code: 0 });
  });
});

describe('the output folder', () => {
  test('is refused above the repository, and at or below a link out of it, in a rehearsal and before a folder is made', async () => {
    clone(download('authorized_keys'), { out: '../.ssh' });
    for (const output of ['../.ssh', 'out', 'out/deep/er']) {
      writeFileSync(
        join(repository(), 'pipeline.yaml'),
        download('authorized_keys', `output: ${output}\n`),
      );
      for (const what of ['plan', 'run'] as const) {
        const { code, text } = await rehearse(what);
        expect(code, output).toBe(2);
        expect(text).toContain('pipeline.yaml:2:9: error SL702');
        expect(text).toContain('is outside the repository');
      }
    }
    unharmed();
    expect(existsSync(join(repository(), '.shotlist'))).toBe(false);
  });

  test('is refused where a link leads nowhere', async () => {
    clone(download('a.mp4', 'output: out\n'), { out: '../not-there' });
    expect(await rehearse('run')).toMatchObject({ code: 2 });
    expect(existsSync(rig.path('not-there'))).toBe(false);
  });

  test('may be anywhere when the user says so', async () => {
    clone(download('a.mp4', 'output: ../elsewhere\n'));
    expect(await rehearse('run', { output: rig.path('mine') })).toMatchObject({ code: 0 });
    expect(statSync(rig.path('mine/a.mp4')).size).toBeGreaterThan(0);
    expect(await rehearse('plan', { allowOutside: true })).toMatchObject({ code: 0 });
  });

  test('is never a folder of git or of shotlist, in any spelling', async () => {
    clone(download('post-checkout'));
    for (const output of ['.git/hooks', '.GIT', 'git~1/hooks', '.shotlist/kept']) {
      writeFileSync(
        join(repository(), 'pipeline.yaml'),
        download('post-checkout', `output: "${output}"\n`),
      );
      for (const given of [{}, { allowOutside: true }, { output: join(repository(), output) }]) {
        const { code, text } = await rehearse('run', given);
        expect(code, output).toBe(2);
        expect(text).toMatch(/is in a \.(git|shotlist) folder, where nothing is written/);
      }
    }
  });

  test('is never .git behind a link', async () => {
    clone(download('post-checkout', 'output: hooks\n'), { hooks: '.git/hooks' });
    const { code, text } = await rehearse('run', { allowOutside: true });
    expect(code).toBe(2);
    expect(text).toContain('is in a .git folder');
  });

  test('holds no download to a folder of git or of shotlist, or above it', async () => {
    clone(download('x'));
    for (const to of ['.git/hooks/post-checkout', 'a/.Git./x', '.shotlist/x', '../x']) {
      writeFileSync(join(repository(), 'pipeline.yaml'), download(to, 'output: .\n'));
      const { code, text } = await rehearse('run', { output: repository() });
      expect(code, to).toBe(2);
      expect(text).toMatch(/save: to: .* (contains a name that|would leave)/);
    }
  });

  test('holds no download that a link leads into .git', async () => {
    clone(download('hooks/post-checkout', 'output: .\n'), { hooks: '.git/hooks' });
    const { code, text } = await rehearse('run', { output: repository() });
    expect(code).toBe(2);
    expect(text).toContain('a link leads into a .git folder');
    expect(existsSync(join(repository(), '.git/hooks/post-checkout'))).toBe(false);
  });
});

describe('plan names the environment variables', () => {
  const text = `pipeline: p
env: [CAMPAIGN, HOME]
output: out
steps:
  clip:
    uses: text-to-video
    with: { end_seconds: 3, orientation: landscape, style: { prompt: "\${{ env.CAMPAIGN }}" } }
  save: { uses: download, with: { of: clip, to: "\${{ env.HOME.size() }}.mp4" } }
`;

  test('that are sent, and where to', async () => {
    clone(text);
    const env = { SHOTLIST_API_KEY: 'k', CAMPAIGN: 'spring' };
    const args = ['plan', 'repository/pipeline.yaml', '--service', 'http://127.0.0.1:9'];
    const { stdout } = await rig.command(args, env);
    expect(stdout.split('\n')[0]).toBe('Service: http://127.0.0.1:9');
    expect(stdout).toContain('Sends env.CAMPAIGN to http://127.0.0.1:9 (step clip).');
    expect(stdout).toContain('Uses env.HOME on this machine only (step save).');
    const json = await rig.command([...args, '--json'], env);
    expect(JSON.parse(json.stdout)).toMatchObject({
      service: 'http://127.0.0.1:9',
      env: [
        { name: 'CAMPAIGN', sent: ['clip'], local: [] },
        { name: 'HOME', sent: [], local: ['save'] },
      ],
    });
  });

  test('that stay here in a rehearsal', async () => {
    clone(text);
    const { stdout } = await command('plan');
    expect(stdout).toContain(
      'Uses env.CAMPAIGN on this machine only, because this is a rehearsal (step clip).',
    );
  });
});
