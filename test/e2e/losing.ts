// Losses of state files as they happen to people, with real git: what is run before, what is lost, and what is known after.
import { createHash, type Hash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JobView, viewsOf } from '../../src/model/job-view.ts';
import { loadState } from '../../src/state/load-state.ts';
import { writePhotos } from '../photo-pipeline.ts';
import { photoPipeline, Rig } from '../rig.ts';
import { commitAll, git } from './clones.ts';
import { chained } from './taken.ts';

/** Chances of one seed: one seed is one story. */
export class Chances {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 2654435761;
  }

  #next(): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return (this.#state >>> 0) / 2 ** 32;
  }

  /** A number below the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  of<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  }
}

const prompts = `pipeline: photos
items: { values: [{ key: p1 }, { key: p2 }, { key: p3 }, { key: p4 }] }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }
  save: { uses: download, with: { of: picture, to: "\${{ item.key }}.png" } }
`;
const tidied = (step: string): string => `  tidy: { uses: delete, with: { of: ${step} } }\n`;
const shared = prompts.replace(
  'steps:\n',
  `steps:
  cover: { uses: ai-meme-generator, with: { style: { template: Random, topic: all } } }
  keep: { uses: download, with: { of: cover, to: cover.png } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.cover.url }}" } } }
  kept: { uses: download, with: { of: colour, to: colour.png } }
`,
);

/** By name: the pipeline, and the steps that a first run may end with. */
export const pipelines: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  photos: [photoPipeline, ['tidy', 'save']],
  'photos kept': [photoPipeline.replace(/ {2}tidy.*\n/, ''), ['save']],
  prompts: [prompts, ['save']],
  'prompts tidied': [prompts + tidied('picture'), ['tidy', 'save']],
  chain: [chained, ['save', 'keep']],
  'chain tidied': [chained + tidied('swap'), ['save', 'tidy', 'keep']],
  shared: [shared + tidied('cover'), ['keep', 'tidy', 'save']],
};

export const state = 'photos.state.jsonl';

/** A repository with the pipeline and its photos; the outputs are ignored, or in git too. */
export async function repository(pipeline: string, commitsOutputs: boolean): Promise<Rig> {
  const rig = new Rig(pipeline);
  if (pipeline.includes('photos/')) await writePhotos(rig.folder, 4);
  git(rig.folder, 'init', '--quiet');
  rig.write('.gitignore', commitsOutputs ? '.shotlist/\n' : '.shotlist/\nout/\n');
  commitAll(rig, 'Add a pipeline');
  return rig;
}

/** What a person does to the folder of a pipeline, or what happens to it. Answers where the next command is given. */
export type Loss = (rig: Rig, chance: Chances) => Rig;

const linesOf = (rig: Rig): readonly string[] => {
  const lines = rig.read(state).split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};
const hasState = (rig: Rig): boolean => existsSync(rig.path(state));
const putBack = (rig: Rig, text: string): Rig => {
  writeFileSync(rig.path(state), text);
  return rig;
};

const onState =
  (change: (text: string, chance: Chances, rig: Rig) => string): Loss =>
  (rig, chance) =>
    hasState(rig) ? putBack(rig, change(rig.read(state), chance, rig)) : rig;

const withLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function flipped(text: string, at: number, to: string): string {
  return `${text.slice(0, at)}${to}${text.slice(at + 1)}`;
}

function emptied(): Rig {
  const rig = new Rig('');
  rmSync(rig.file);
  return rig;
}

export const losses: Readonly<Record<string, Loss>> = {
  'an older version': (rig, chance) => {
    const all = git(rig.folder, 'log', '--branches', 'HEAD', '--format=%H', '--', state)
      .trim()
      .split('\n');
    const rev = chance.of(all);
    const there = rev !== '' && git(rig.folder, 'ls-tree', '--name-only', rev, state) !== '';
    if (there) git(rig.folder, 'checkout', '--quiet', rev, '--', state);
    return rig;
  },
  'a stash': (rig, chance) => {
    const all = chance.happens(0.5) ? ['--include-untracked'] : [];
    git(rig.folder, 'stash', 'push', '--quiet', ...all);
    return rig;
  },
  'another branch': (rig, chance) => {
    const branches = git(rig.folder, 'branch', '--format=%(refname:short)').trim().split('\n');
    const named = branches.filter((name) => !name.startsWith('('));
    git(rig.folder, 'checkout', '--quiet', '--force', '--detach', chance.of(['HEAD', ...named]));
    return rig;
  },
  'the first commit': (rig) => {
    const [first = ''] = git(rig.folder, 'rev-list', '--branches', 'HEAD', '--max-parents=0').split(
      '\n',
    );
    git(rig.folder, 'checkout', '--quiet', '--force', first);
    return rig;
  },
  'a worktree': (rig, chance) => {
    const other = emptied();
    const revs = git(rig.folder, 'log', '--branches', 'HEAD', '--format=%H').trim().split('\n');
    git(rig.folder, 'worktree', 'add', '--quiet', '--detach', other.folder, chance.of(revs));
    return other;
  },
  'a clone': (rig, chance) => {
    const other = emptied();
    git(other.folder, 'clone', '--quiet', rig.folder, '.');
    if (chance.happens(0.3)) {
      const revs = git(other.folder, 'log', '--branches', 'HEAD', '--format=%H').trim().split('\n');
      git(other.folder, 'checkout', '--quiet', chance.of(revs));
    }
    return other;
  },
  'no state file': (rig) => {
    rmSync(rig.path(state), { force: true });
    return rig;
  },
  'a cut at the end of a line': onState((text, chance) => {
    const lines = text.split('\n').slice(0, -1);
    return withLines(lines.slice(0, 1 + chance.below(Math.max(1, lines.length - 1))));
  }),
  'a cut within a line': onState((text, chance) =>
    text.slice(0, 1 + chance.below(Math.max(1, text.length - 1))),
  ),
  'a line removed': onState((_, chance, rig) => {
    const lines = linesOf(rig);
    return withLines(lines.toSpliced(chance.below(lines.length), 1));
  }),
  'only the header': onState((_, __, rig) => withLines(linesOf(rig).slice(0, 1))),
  'an empty file': onState(() => ''),
  'a changed fingerprint': onState((text, chance) => {
    const found = [...text.matchAll(/"job":"([0-9a-f]{64})"/g)];
    if (found.length === 0) return text;
    const at = chance.of(found).index + 7 + chance.below(64);
    return flipped(text, at, text[at] === '0' ? '1' : '0');
  }),
  'a changed byte': onState((text, chance) => {
    if (text === '') return text;
    const at = chance.below(text.length);
    return flipped(text, at, chance.of([...'0a"{z,7\n '].filter((one) => one !== text[at])));
  }),
  'no .shotlist': (rig) => {
    rmSync(rig.path('.shotlist'), { recursive: true, force: true });
    return rig;
  },
  'no outputs': (rig) => {
    rmSync(rig.path('out'), { recursive: true, force: true });
    return rig;
  },
  'some outputs': (rig, chance) => {
    if (!existsSync(rig.path('out'))) return rig;
    for (const file of rig.files('out')) if (chance.happens(0.5)) rmSync(rig.path(`out/${file}`));
    return rig;
  },
};

export const hashOf = (file: string): string => sha256().update(readFileSync(file)).digest('hex');
const sha256 = (): Hash => createHash('sha256');

export async function jobsOf(rig: Rig): Promise<readonly JobView[]> {
  if (!hasState(rig)) return [];
  const read = await loadState(rig.path(state));
  return read.ok ? viewsOf(read.value.ledger) : [];
}

/** The contents of all files in folders, without git's own. The service makes the same of each take: they do not count. */
export function contentsIn(folders: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !/\/(\.git|takes)(\/|$)/.test(entry.parentPath))
        found.add(hashOf(join(entry.parentPath, entry.name)));
  return found;
}

/** What git would give back as the newest version here; empty if it has none. */
export function headVersion(rig: Rig): string {
  const tracked = git(rig.folder, 'ls-tree', '--name-only', 'HEAD', state);
  return tracked === '' ? '' : git(rig.folder, 'show', `HEAD:./${state}`);
}

export const receiptFiles = (): readonly string[] =>
  globSync(join(process.env['SHOTLIST_RECEIPTS'] ?? '/nowhere', 'receipts.db*'));
