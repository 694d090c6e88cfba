// A witness to the order of things: it stands between a run and the world, knows what the state file is sure to hold,
// and breaks the run that does something before what must be on disk is on disk. A kill finds that only by luck.
import { readFileSync, statSync } from 'node:fs';
import { asJson, isJson, isObject } from '../src/contract/base/json.ts';
import type { RunInternals } from '../src/runner/operations/run.ts';

/** What the state file holds for sure. */
class Surely {
  readonly #names = new Set<string>();
  readonly #jobs = new Map<string, string>();
  readonly #saved = new Set<string>();

  read(line: string): void {
    const value = asJson(JSON.parse(line));
    if (!isObject(value)) throw new Error(`bug: this is no line of a state file: ${line}`);
    const { event, job, name, project, outputs, past } = value;
    if (typeof job !== 'string') return;
    if (typeof name === 'string') this.#names.add(name);
    if (event === 'output' || Array.isArray(outputs)) this.#saved.add(job);
    for (const one of [{ project }, ...(Array.isArray(past) ? past.filter(isObject) : [])])
      if (typeof one.project === 'string') this.#jobs.set(one.project, job);
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

export function witness(state: string): Required<Pick<RunInternals, 'lines' | 'api'>> {
  const surely = new Surely();
  const insist = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`the order is wrong: ${what}`);
  };
  return {
    lines(file) {
      // Asked for under the lock, after the file was loaded: a torn last line is not part of it.
      for (const line of wholeLines(state)) surely.read(line);
      let waiting: string[] = [];
      return {
        append(line) {
          waiting.push(line);
          file.append(line);
        },
        async sync() {
          const taken = waiting;
          waiting = [];
          await file.sync();
          for (const line of taken) surely.read(line);
        },
      };
    },
    api: (api) => ({
      uploadAddress: (file) => api.uploadAddress(file),
      put: (target, file) => api.put(target, file),
      detectFaces: (body) => api.detectFaces(body),
      faceDetection: (id) => api.faceDetection(id),
      account: () => api.account(),
      async create(tool, body, known) {
        const { name } = body;
        insist(surely.hasIntent(name), `${name} is sent and its intent is not on disk`);
        return await api.create(tool, body, known);
      },
      async project(record, id) {
        insist(surely.hasProject(id), `${id} is used and its creation is not on disk`);
        return await api.project(record, id);
      },
      async deleteProject(record, id) {
        insist(surely.hasSaved(id), `${id} is deleted and its output is not on disk`);
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

/** All but what a torn last line left, which may end in a bracket too. One that lacks only its line feed is whole. */
export function wholeLinesIn(text: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return isJson(last) ? [...lines, last] : lines;
}
