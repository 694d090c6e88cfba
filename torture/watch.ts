// Watch torture: thousands of files are dropped while a watch runs, while it is stopped, and while it stops; each is paid
// for once, and its result is saved.

import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chanceOf } from '../src/base/chance.ts';
import { resultOf } from '../src/language/load/refusal.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { watchWith } from '../src/triggers/watch/watch.ts';
import { photo } from '../test/photo.ts';

export interface WatchTorture {
  readonly files: number;
  readonly seed: number;
  readonly onEvent: (line: string) => void;
}

export interface WatchTortured {
  readonly starts: number;
  readonly runs: number;
  readonly violations: readonly string[];
}

const pipeline = `pipeline: cut
items: { glob: "photos/**/*.png" }
output: out
limits: { items: 64 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut:
    uses: image-background-remover
    with: { name: "\${{ item.key }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: cut, to: "\${{ item.dir }}/\${{ item.stem }}.png" } }
`;

export async function tortureWatch({ files, seed, onEvent }: WatchTorture): Promise<WatchTortured> {
  const chance = chanceOf(seed, 0);
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-watch-'));
  const service = await startService({ credits: files * 10, pictures: 'plain' });
  let [dropped, starts, runs] = [0, 0, 0];
  const violations: string[] = [];
  const drop = async (count: number): Promise<void> => {
    for (let last = Math.min(files, dropped + count); dropped < last; dropped++) {
      const path = join(folder, 'photos', String(dropped % 7), `${dropped}.png`);
      mkdirSync(dirname(path), { recursive: true });
      const bytes = Buffer.concat([await photo(dropped % 50), Buffer.from(`#${dropped}`)]);
      const temporary = chance() < 0.3;
      writeFileSync(temporary ? `${path}.part` : path, bytes);
      if (temporary) renameSync(`${path}.part`, path);
    }
  };
  try {
    writeFileSync(join(folder, 'pipeline.yaml'), pipeline);
    await drop(Math.floor(files / 5));
    while (dropped < files || saved(folder) < files) {
      starts += 1;
      if (starts > 50) {
        violations.push(`after 50 starts, ${files - saved(folder)} files are not finished`);
        break;
      }
      const stop = new AbortController();
      const watching = watchWith(
        join(folder, 'pipeline.yaml'),
        {
          ...{ settleMs: 200, pollMs: 5000, env: envOf(service), signal: stop.signal },
          onEvent: (event) => {
            if (event.type === 'ran') runs += 1;
            if (event.type === 'refused' || event.type === 'paused')
              violations.push(JSON.stringify(event).slice(0, 300));
          },
        },
        { run: { backoffMs: 1, speedFactor: 100 } },
      );
      await drop(Math.floor((files * chance()) / 3));
      const patience = dropped < files ? 2000 + chance() * 8000 : 120_000;
      const until = Date.now() + patience;
      while (Date.now() < until && saved(folder) < dropped) await wait(100);
      stop.abort();
      await drop(Math.floor((files * chance()) / 10));
      const watched = await resultOf(() => watching);
      if (!watched.ok) violations.push(JSON.stringify(watched.error.diagnostics));
      onEvent(`start ${starts}: ${dropped} dropped, ${saved(folder)} finished, ${runs} runs`);
      await drop(Math.floor((files * chance()) / 5));
    }
    violations.push(...paidWrongly(service, files));
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { starts, runs, violations };
}

/** The number of results. */
function saved(folder: string): number {
  try {
    const names = readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\d\.png$/.test(name)).length;
  } catch {
    // There is no result yet.
    return 0;
  }
}

const envOf = ({ address, key }: LocalService): Readonly<Record<string, string>> => ({
  SHOTLIST_BASE_URL: address,
  SHOTLIST_API_KEY: key,
});

function paidWrongly(service: LocalService, files: number): readonly string[] {
  const charges = new Map<string, number>();
  for (const { kind, name } of service.ledger())
    if (kind === 'charge' && name !== null) {
      const plain = name.replace(/ #[0-9a-z]+$/, '');
      charges.set(plain, (charges.get(plain) ?? 0) + 1);
    }
  const twice = [...charges].filter(([, times]) => times !== 1);
  return [
    ...twice.slice(0, 10).map(([name, times]) => `${name} was paid for ${times} times`),
    ...(charges.size === files ? [] : [`${charges.size} of ${files} files were paid for`]),
  ];
}
