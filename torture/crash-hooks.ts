// Hooks into a run that kill its process at a crash point, as `kill -9` does: no exit handler runs and nothing is flushed.
import fs, { statSync, truncateSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import type { LineFile } from '../src/core/journal.ts';
import type { Disk, MediaApi } from '../src/core/ports.ts';
import type { RunInternals } from '../src/features/run/run.ts';
import type { Crash, CrashPoint } from './crash-points.ts';

/** The longest time between sending a creation and the crash, in milliseconds. */
const underWayMs = 8;

function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** `state` is the state file of the run. */
export function crashHooks(
  crash: Crash,
  state: string,
): Required<Pick<RunInternals, 'lines' | 'api' | 'disk'>> {
  let times = 0;
  /** Whether the process crashes here. Counts how often the run reaches the point. */
  const isCrash = (point: CrashPoint): boolean => {
    if (point !== crash.point) return false;
    times += 1;
    return times === crash.at;
  };
  const pass = (point: CrashPoint): void => {
    if (isCrash(point)) killProcess();
  };
  const around = async <T>(
    before: CrashPoint,
    after: CrashPoint,
    operation: () => Promise<T>,
  ): Promise<T> => {
    pass(before);
    const done = await operation();
    pass(after);
    return done;
  };
  replacing = (point, path) => {
    if (path === `${state}.part`) pass(point);
  };
  return {
    lines: (file) => crashingLines(file, { crash, state, isCrash, pass }),
    api: (api: MediaApi): MediaApi => ({
      uploadAddresses: (items) => api.uploadAddresses(items),
      put: (target, file) => around('upload:before', 'upload:after', () => api.put(target, file)),
      detectFaces: (body) => api.detectFaces(body),
      faceDetection: (id) => api.faceDetection(id),
      account: () => api.account(),
      create: (tool, body, known) =>
        around('send:before', 'send:answer', () => {
          const answer = api.create(tool, body, known);
          if (isCrash('send:sent')) void wait(crash.share * underWayMs).then(killProcess);
          return answer;
        }),
      project: (record, id) => api.project(record, id),
      deleteProject: (record, id) =>
        around('delete:before', 'delete:after', () => api.deleteProject(record, id)),
      download: (url, into) =>
        around('download:before', 'download:after', () => api.download(url, into)),
    }),
    disk: (disk: Disk): Disk => ({
      input: (path) => disk.input(path),
      output: (path) => disk.output(path),
      isElsewhere: (output) => disk.isElsewhere(output),
      kept: (digest, extension) => disk.kept(digest, extension),
      digest: (place) => disk.digest(place),
      fileAt: (place) => disk.fileAt(place),
      recordedAs: (path) => disk.recordedAs(path),
      temporary: (path, work) => disk.temporary(path, work),
      damage: (file) => disk.damage(file),
      showsItsEnd: (file) => disk.showsItsEnd(file),
      seconds: (file) => disk.seconds(file),
      place: (temporary, path, digest) =>
        around('rename:before', 'rename:after', () => disk.place(temporary, path, digest)),
      keep: (temporary, digest, extension) =>
        around('rename:before', 'rename:after', () => disk.keep(temporary, digest, extension)),
      remember: (output) => disk.remember(output),
      foreign: (path) => disk.foreign(path),
      copy: (source, into) => disk.copy(source, into),
      discard: (file) => disk.discard(file),
    }),
  };
}

interface Lines {
  readonly crash: Crash;
  readonly state: string;
  isCrash(point: CrashPoint): boolean;
  pass(point: CrashPoint): void;
}

function crashingLines(file: LineFile, { crash, state, isCrash, pass }: Lines): LineFile {
  const found = (): { ino: number; size: number } =>
    statSync(state, { throwIfNoEntry: false }) ?? { ino: 0, size: 0 };
  let synced = found();
  return {
    append(line) {
      file.append(line);
      pass('append');
    },
    async sync() {
      pass('sync:before');
      await file.sync();
      const whole = found();
      if (isCrash('sync:torn')) {
        // Nothing depends yet on what was appended after the last sync, so any part of it may be missing. Of a file that was
        // written whole, all is there.
        const safe = whole.ino === synced.ino ? synced.size : whole.size;
        truncateSync(state, safe + Math.floor((whole.size - safe) * crash.share));
        killProcess();
      }
      synced = whole;
      pass('sync:after');
    },
  };
}

/** No hook covers a state file that is written whole, so Node's own functions are wrapped. */
let replacing: (point: CrashPoint, path: unknown) => void = () => undefined;

const { open } = promises;
const { renameSync } = fs;
Object.assign(promises, {
  open: (...given: Parameters<typeof open>) => {
    replacing('whole:before', given[0]);
    return open(...given);
  },
});
Object.assign(fs, {
  renameSync: (...given: Parameters<typeof renameSync>) => {
    replacing('whole:written', given[0]);
    renameSync(...given);
    replacing('whole:after', given[0]);
  },
});
syncBuiltinESMExports();
