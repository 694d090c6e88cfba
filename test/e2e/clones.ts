// Clones of one repository with a pipeline in it, for tests with real git.
import { spawnSync } from 'node:child_process';
import { git } from '../hostile/repositories/clone.ts';
import { Rig } from '../rig.ts';

export { git };

export const memes = `pipeline: memes
items: { values: [{ key: one }, { key: two }, { key: three }, { key: four }] }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }
  save: { uses: download, with: { of: picture, to: "\${{ item.key }}.png" } }
`;

export const state = 'memes.state.jsonl';

/** A repository with the pipeline, and nothing that has run. */
export function origin(pipeline = memes): Rig {
  const rig = new Rig(pipeline);
  git(rig.folder, 'init', '--quiet');
  rig.write('.gitignore', '.shotlist/\nout/\n');
  commitAll(rig, 'Add a pipeline');
  return rig;
}

export function commitAll(rig: Rig, message: string): void {
  git(rig.folder, 'add', '--all');
  git(rig.folder, 'commit', '--quiet', '--message', message);
}

/** A clone of what the other has committed, in a folder of its own. */
export function cloneOf(other: Rig): Rig {
  const rig = new Rig('');
  git(rig.folder, 'init', '--quiet');
  git(rig.folder, 'fetch', '--quiet', other.folder, 'main');
  git(rig.folder, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  return rig;
}

/** Has git take over what the other has committed; false: git says that there is a conflict. */
export function takes(rig: Rig, ...args: readonly string[]): { ok: boolean; said: string } {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = {
    ...{
      PATH,
      NODE_COMPILE_CACHE,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      LC_ALL: 'C',
    },
    ...{ GIT_EDITOR: 'true', GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@localhost' },
    ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@localhost' },
  };
  const ran = spawnSync('git', args, { cwd: rig.folder, encoding: 'utf8', env });
  return { ok: ran.status === 0, said: ran.stdout + ran.stderr };
}

/** Whoever runs the tests, without their settings. */
export const identity = {
  ...{ GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@localhost', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@localhost', GIT_CONFIG_NOSYSTEM: '1' },
};
