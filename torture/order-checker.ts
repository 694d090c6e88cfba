// Checks the order of writes and requests: it wraps the journal and the API, knows what is durable in the state file, and
// fails the run that sends a request too early. A random kill would find that only by luck.
import { readFileSync, statSync } from 'node:fs';
import { valueIn } from '../src/base/json.ts';
import type { RunInternals } from '../src/features/run/run.ts';
import { parseLine } from '../src/model/record/line.ts';

/** The durable content of the state file. */
class DurableState {
  readonly #names = new Set<string>();
  readonly #jobs = new Map<string, string>();
  readonly #saved = new Set<string>();

  read(text: string): void {
    const read = parseLine(text);
    if (!read.ok) throw new Error(`bug: this is no line of a state file: ${text}`);
    if (!('job' in read.value)) return;
    const { job, attempts, outputs } = read.value;
    for (const { name, project } of attempts) {
      this.#names.add(name);
      if (project !== undefined) this.#jobs.set(project, job);
    }
    if (outputs.length > 0) this.#saved.add(job);
  }

  hasIntent(name: unknown): boolean {
    return typeof name === 'string' && this.#names.has(name);
  }

  hasProject(id: string): boolean {
    return this.#jobs.has(id);
  }

  hasSaved(id: string): boolean {
    return this.#saved.has(this.#jobs.get(id) ?? '');
  }
}

export function orderChecker(state: string): Required<Pick<RunInternals, 'lines' | 'api'>> {
  const durable = new DurableState();
  const requireThat = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`wrong order: ${what}`);
  };
  return {
    lines(file) {
      // Called under the lock, after the file was loaded, so a torn last line does not count.
      for (const line of wholeLines(state)) durable.read(line);
      let waiting: string[] = [];
      let isFirst = true;
      return {
        append(line) {
          waiting.push(line);
          file.append(line);
        },
        async sync() {
          const taken = waiting;
          waiting = [];
          await file.sync();
          for (const line of taken) durable.read(line);
          // What other records knew is written whole, before the first line.
          if (isFirst) for (const line of wholeLines(state)) durable.read(line);
          isFirst = false;
        },
      };
    },
    api: (api) => ({
      uploadAddresses: (items) => api.uploadAddresses(items),
      put: (target, file) => api.put(target, file),
      detectFaces: (body) => api.detectFaces(body),
      faceDetection: (id) => api.faceDetection(id),
      account: () => api.account(),
      async create(tool, body, known) {
        const { name } = body;
        requireThat(durable.hasIntent(name), `${name} is sent and its intent is not on disk`);
        return await api.create(tool, body, known);
      },
      async project(record, id) {
        requireThat(durable.hasProject(id), `${id} is used and its creation is not on disk`);
        return await api.project(record, id);
      },
      async deleteProject(record, id) {
        requireThat(durable.hasSaved(id), `${id} is deleted and its output is not on disk`);
        return await api.deleteProject(record, id);
      },
      download: (url, into) => api.download(url, into),
    }),
  };
}

function wholeLines(state: string): readonly string[] {
  if (statSync(state, { throwIfNoEntry: false }) === undefined) return [];
  return wholeLinesIn(readFileSync(state, 'utf8'));
}

/** All lines except a torn last one, which may end in a bracket too. A line that lacks only its line feed is whole. */
export function wholeLinesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return valueIn(last) !== undefined ? [...lines, last] : lines;
}
