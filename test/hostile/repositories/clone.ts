// Commits a plant and clones it with real git into a folder of its own, beside the files of a victim.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makePipe } from '../../small-disk.ts';
import { type Plant, targetFrom } from './plant.ts';

const settings = [
  ...['-c', 'user.name=somebody', '-c', 'user.email=somebody@localhost'],
  ...['-c', 'init.defaultBranch=main', '-c', 'core.symlinks=true', '-c', 'core.autocrlf=false'],
  ...['-c', 'protocol.file.allow=always', '-c', 'commit.gpgsign=false', '-c', 'gc.auto=0'],
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'],
];

/** With none of the settings of whoever runs the tests. */
export function git(folder: string, ...args: readonly string[]): string {
  const { PATH = '' } = process.env;
  const env = { PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' };
  const ran = spawnSync('git', [...settings, ...args], { cwd: folder, encoding: 'utf8', env });
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')}: ${ran.stderr}${ran.error ?? ''}`);
  return ran.stdout;
}

export function write(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function link(folder: string, links: Readonly<Record<string, string>>): void {
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(targetFrom(path, target), join(folder, path));
  }
}

/** A repository with all that the plant commits. */
export function commitPlant(
  origin: string,
  plant: Plant,
  others: Readonly<Record<string, string | Buffer>>,
): void {
  mkdirSync(origin, { recursive: true });
  git(origin, 'init', '--quiet');
  const taken = Object.keys(plant.links ?? {});
  const free = Object.entries(others).filter(
    ([path]) => !taken.some((name) => path === name || path.startsWith(`${name}/`)),
  );
  write(origin, { ...Object.fromEntries(free), ...plant.files });
  link(origin, plant.links ?? {});
  git(origin, 'add', '--all', '--force');
  git(origin, 'commit', '--quiet', '--message', 'Add a pipeline');
}

export interface Sandbox {
  readonly folder: string;
  readonly clone: string;
}

/** What no service and no run may ever get hold of. */
export const privateText = 'the text that only the victim has';

/** `folder` holds the clone, the victim's files, and nothing else. */
export function cloneInto(folder: string, origin: string, plant: Plant): Sandbox {
  mkdirSync(folder, { recursive: true });
  const clone = join(folder, 'clone');
  git(folder, 'clone', '--quiet', origin, clone);
  write(clone, plant.loose ?? {});
  for (const pipe of plant.pipes ?? []) makePipe(join(clone, pipe));
  write(folder, {
    'victim/.bashrc': `# ${privateText}\n`,
    'victim/.profile': `# ${privateText}\n`,
    'victim/photos/family.jpg': `a family: ${privateText}`,
    'victim/photos/p1.png': `a photo: ${privateText}`,
    'victim/photos/0123456789abcdef01234567': `a name like those of a service: ${privateText}`,
    'victim/0123456789abcdef01234567/0123456789ab.png': `another one: ${privateText}`,
    'victim/.ssh/id_rsa': `-----BEGIN PRIVATE KEY-----\n${privateText}\n`,
  });
  for (const name of ['.bashrc', '.ssh/id_rsa', 'photos/family.jpg'])
    utimesSync(join(folder, 'victim', name), new Date('2024-05-06'), new Date('2024-05-06'));
  return { folder, clone };
}

/** Names, modes, times, links and contents of all that is beside the clone. */
export function surroundings({ folder, clone }: Sandbox): readonly string[] {
  const seen: string[] = [];
  const look = (path: string): void => {
    if (path === clone) return;
    const stats = lstatSync(path, { bigint: true });
    const content = stats.isSymbolicLink()
      ? readlinkSync(path)
      : stats.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : '';
    // The folder itself changes when the clone's own files do.
    const time = path === folder ? '' : stats.mtimeNs;
    seen.push(`${path} ${stats.mode.toString(8)} ${stats.nlink} ${time} ${content}`);
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) look(join(path, name));
  };
  look(folder);
  return seen;
}

/** The files below a folder that hold a text; links are not followed. */
export function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
