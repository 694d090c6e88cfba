// Programs that some tests need and a machine may not have. Those tests are tagged with the program. Where it is missing
// they are skipped, and the run says so at its begin and how many at its end; in CI they fail instead, so CI cannot
// lose them. Imports nothing of the test runner but types, because the torture and the benches run without it.
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { whyNoTracing } from '../torture/strace.ts';

const runs = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

const isAbsent = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'EACCES', 'ENOTDIR'].includes(`${error.code}`);

/** The browser that CHROMIUM names, else the one that the system has. */
export const findChromium = (): string | undefined =>
  [
    ...(process.env['CHROMIUM'] === undefined ? [] : [process.env['CHROMIUM']]),
    ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  ].find(runs);

/** The folder with the programs of Postgres: Debian's newest, else one in the path. */
export const findPostgres = (): string | undefined =>
  [
    ...globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) =>
      b.localeCompare(a, 'en', { numeric: true }),
    ),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ].find((folder) => ['initdb', 'postgres'].every((name) => runs(join(folder, name))));

/** The key is the tag of the tests. */
const programs = {
  chromium: { name: 'Chromium', debian: 'chromium', found: () => findChromium() !== undefined },
  postgres: { name: 'Postgres', debian: 'postgresql', found: () => findPostgres() !== undefined },
  strace: { name: 'strace', debian: 'strace', found: () => whyNoTracing() === undefined },
} as const;

export type ProgramTag = keyof typeof programs;
export const programTags: readonly ProgramTag[] = ['chromium', 'postgres', 'strace'];

/** Whether tests of this tag are skipped here. */
export const isMissing = (tag: ProgramTag): boolean =>
  process.env['CI'] !== 'true' && !programs[tag].found();

export const tagDescription = (tag: ProgramTag): string =>
  `Needs ${programs[tag].name} (Debian and Ubuntu: apt-get install ${programs[tag].debian}).`;

/** Says which programs are missing, and how many tests are skipped because of them. */
export class MissingPrograms implements Reporter {
  readonly #missing: readonly ProgramTag[];

  constructor(missing: readonly ProgramTag[]) {
    this.#missing = missing;
  }

  onInit(): void {
    if (this.#missing.length === 0) return;
    const names = this.#missing.map((tag) => programs[tag].name).join(', ');
    const packages = this.#missing.map((tag) => programs[tag].debian).join(' ');
    process.stdout.write(
      `Not found, and tests that need it are skipped: ${names} (apt-get install ${packages})\n`,
    );
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const counts = this.#missing.map(
      (tag) => `${programs[tag].name} ${skipped.filter(({ tags }) => tags.includes(tag)).length}`,
    );
    if (counts.length > 0)
      process.stdout.write(`Skipped because of a missing program: ${counts.join(', ')}\n`);
  }
}
