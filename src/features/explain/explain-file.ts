// `explain <file>`: where a file comes from, by its content. Reads state files; sends and writes nothing.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Digest, digestFrom } from '../../base/digest.ts';
import { realPathOr } from '../../base/real-path.ts';
import { openRegular } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { systemReason } from '../../base/system-error.ts';
import { namesIn } from '../../files/leftovers.ts';
import { shownPath } from '../../files/shown-path.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import { fingerprintOf } from '../../model/fingerprint.ts';
import type { JobLine, OutputLine, PastAttempt } from '../../model/line.ts';
import { isTemplate } from '../../model/rows.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import { diskStore } from '../../state/job-store.ts';
import { type Loaded, loadState } from '../../state/load-state.ts';
import { checkOwnFolder } from '../../state/own-folder.ts';
import { eachLine } from '../../state/raw-lines.ts';
import { manifestsBehind, type Origin, originOf } from '../provenance/origin.ts';

export interface ExplainFileOptions {
  /** `--state`: only this state file. Default: those of the pipelines near the file and in the working folder. */
  readonly state?: string | undefined;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Says where a file comes from: the pipeline, the task, the project, what it cost and what it was made of. The content
 * counts, not the name, so a file that was moved or renamed is found, too.
 *
 * @example
 * ```ts
 * import { explainFile } from 'shotlist';
 *
 * const story = await explainFile('out/face-swap-photos/a.png');
 * for (const { task, project, credits } of story.results) console.log(task, project, credits);
 * ```
 */
export async function explainFile(
  file: string,
  { state, onWarning = () => undefined }: ExplainFileOptions = {},
): Promise<FileStory> {
  const read = await contentOf(file);
  if (!read.ok) throw new Refusal(problem(`the file ${read.error}`, file));
  const { sha256, bytes } = read.value;
  const places =
    state === undefined
      ? stateFilesFor(file, process.cwd())
      : [placeOfState(realPathOr(resolve(state)))];
  const search: Search = {
    sha256,
    path: realPathOr(resolve(file)),
    upload: fingerprintOf({ kind: 'upload', content: sha256 }),
    isNamed: state !== undefined,
  };
  const found: Found = { results: [], uploads: [], formerly: [] };
  for (const place of places) {
    const looked = await look(place, search, found);
    if (looked.ok) continue;
    if (state !== undefined) throw new Refusal(problem(looked.error, 'the state file'));
    onWarning(`${looked.error}; this state file was left out`);
  }
  const here = (story: ResultStory): number => (story.here ? 0 : 1);
  const results = found.results.sort((a, b) => here(a) - here(b));
  return { file, bytes, sha256, ...found, results, searched: places.length };
}

interface Search {
  readonly sha256: Digest;
  /** Absolute, links followed. */
  readonly path: string;
  /** The fingerprint of an upload of this content. */
  readonly upload: string;
  /** The user named the state file, and wants to know if it is damaged. */
  readonly isNamed: boolean;
}

interface Found {
  readonly results: ResultStory[];
  readonly uploads: UploadStory[];
  readonly formerly: ResultStory[];
}

async function contentOf(file: string): Promise<Result<{ sha256: Digest; bytes: number }, string>> {
  try {
    await using handle = await openRegular(file);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      hash.update(piece);
      bytes += piece.length;
    }
    return ok({ sha256: digestFrom(hash.digest('hex')), bytes });
  } catch (error) {
    return err(systemReason(error));
  }
}

/** The error is a sentence about the state file. */
async function look(
  place: StatePlace,
  search: Search,
  found: Found,
): Promise<Result<void, string>> {
  const { state } = place;
  try {
    const words = [search.sha256, search.upload, basename(search.path)];
    if (!search.isNamed && !(await mentions(state, words))) return ok(undefined);
  } catch (error) {
    return err(`${shownPath(state)} ${systemReason(error)}`);
  }
  const store = diskStore();
  try {
    const loaded = await loadState(state, store);
    if (!loaded.ok) return loaded;
    await collect(loaded.value, place, search, found);
    return ok(undefined);
  } finally {
    store.close();
  }
}

/**
 * Most state files do not know the file, and reading lines is cheaper than folding them. A row does not have its words as
 * they are.
 */
async function mentions(state: string, words: readonly string[]): Promise<boolean> {
  for await (const { text } of eachLine(state))
    if (isTemplate(text) || words.some((word) => text.includes(word))) return true;
  return false;
}

async function collect(
  { ledger, header }: Loaded,
  { state, folder, manifests: kept }: StatePlace,
  { sha256, path: file, upload }: Search,
  found: Found,
): Promise<void> {
  if (header === undefined) return;
  const own = relative(realPathOr(folder), file);
  const same: { readonly job: JobLine; readonly output: OutputLine }[] = [];
  const others: { readonly job: JobLine; readonly output: OutputLine }[] = [];
  for (const job of ledger.jobs()) {
    if (job.job === upload)
      found.uploads.push({
        state: shownPath(state),
        pipeline: header.pipeline,
        tasks: job.tasks,
        at: job.at,
      });
    for (const output of job.outputs ?? []) {
      if (output.sha256 === sha256) same.push({ job, output });
      else if (output.path === own) others.push({ job, output });
    }
  }
  if (same.length + others.length === 0) return;
  const isFannedOut = fannedOutBy(folder, header.pipeline);
  const jobs = new Set([...same, ...others].map(({ job }) => job.job));
  const manifests = kept === undefined ? new Map() : await manifestsBehind(kept, jobs);
  const storyOf = ({ job, output }: (typeof same)[number]): ResultStory => {
    const { task, path, index, pruned } = output;
    const item = itemOf(task, isFannedOut(task));
    const run = ledger.runs().find(({ run: number }) => number === job.sender);
    return {
      state: shownPath(state),
      pipeline: header.pipeline,
      service: header.service,
      task,
      step: stepOf(task),
      item,
      path,
      here: path === own,
      sha256: output.sha256,
      index,
      pruned,
      uses: job.kind,
      tasks: job.tasks,
      fingerprint: job.job,
      project: job.project,
      status: job.state,
      at: job.at,
      attempts: job.attempt,
      credits: job.credits ?? 0,
      past: job.past ?? [],
      run: run && { number: run.run, at: run.at },
      origin: originOf(job.job, manifests),
    };
  };
  found.results.push(...same.map(storyOf));
  found.formerly.push(...others.map(storyOf));
}

/** Only the pipeline says whether a number in brackets is an element of a fan-out or the end of a key. */
function fannedOutBy(folder: string, pipeline: string): (task: string) => boolean {
  for (const name of readdirSync(folder).filter((entry) => /\.ya?ml$/i.test(entry))) {
    const parsed = resultOf(() => parsePipeline(join(folder, name)));
    if (parsed.ok && parsed.value.pipeline.name === pipeline)
      return fannedOutIn(parsed.value.pipeline.steps);
  }
  return () => false;
}

// The state files that may know a file: beside the pipelines of the file's folders, and of the working folder.

interface StatePlace {
  /** The state file. */
  readonly state: string;
  /** The folder of the pipeline file: recorded paths are relative to it. */
  readonly folder: string;
  /** Undefined if nobody knows where they are, or if a link is in `.shotlist`. */
  readonly manifests: string | undefined;
}

/** Folders above one another, and folders in one folder: more are not looked at. */
const limits = { above: 12, beside: 200 };

/** In the order in which they are worth reading: the nearest first. */
function stateFilesFor(file: string, workingFolder: string): readonly StatePlace[] {
  const places = new Map<string, StatePlace>();
  for (const start of [dirname(realPathOr(file)), realPathOr(workingFolder)]) {
    const top = repositoryOf(start);
    const isRepository = existsSync(join(top, '.git'));
    let folder = start;
    for (let level = 0; level < limits.above; level++) {
      for (const place of placesIn(folder)) places.set(place.state, place);
      if (isRepository || folder === start)
        for (const name of foldersIn(folder))
          for (const place of placesIn(join(folder, name))) places.set(place.state, place);
      if ((isRepository && folder === top) || dirname(folder) === folder) break;
      folder = dirname(folder);
    }
  }
  return [...places.values()];
}

/** Of a state file that the user names. */
function placeOfState(state: string): StatePlace {
  const folder = dirname(state);
  const known = placesIn(folder).find((place) => place.state === state);
  return known ?? { state, folder, manifests: undefined };
}

function placesIn(folder: string): readonly StatePlace[] {
  const own = join(folder, '.shotlist');
  const hosted = namesIn(folder)
    .filter((name) => name.endsWith('.state.jsonl'))
    .map((name) => ({ state: join(folder, name), folder, manifests: inOwn(own, own, name) }));
  const rehearsals = namesIn(join(own, 'rehearsal')).flatMap((name): StatePlace[] => {
    const run = join(own, 'rehearsal', name);
    const state = join(run, 'state.jsonl');
    const manifests = inOwn(own, run, basename(state));
    return manifests === undefined || !existsSync(state) ? [] : [{ state, folder, manifests }];
  });
  return [...hosted, ...rehearsals];
}

function inOwn(ownFolder: string, runFolder: string, state: string): string | undefined {
  if (!existsSync(ownFolder) || checkOwnFolder({ ownFolder, runFolder }) !== undefined)
    return undefined;
  return join(runFolder, `${state}.manifests.jsonl`);
}

const foldersIn = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .slice(0, limits.beside)
    .filter(
      (name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true,
    );

// The story of a file: where it comes from, by the state files that record its content.

export interface FileStory {
  /** As the user named it. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Results with this content. */
  readonly results: readonly ResultStory[];
  /** Uploads of this content: the file is an input. */
  readonly uploads: readonly UploadStory[];
  /** Results that were saved under this name, with other content. */
  readonly formerly: readonly ResultStory[];
  /** How many state files were read. */
  readonly searched: number;
}

export interface UploadStory {
  readonly state: string;
  readonly pipeline: string;
  readonly tasks: readonly string[];
  readonly at: string;
}

export interface ResultStory {
  /** The state file that records the result. */
  readonly state: string;
  readonly pipeline: string;
  /** The address of the service, or `rehearsal`. */
  readonly service: string;
  /** The download that saved the file. */
  readonly task: string;
  readonly step: string;
  readonly item?: string;
  /** Where it was saved, relative to the pipeline file. */
  readonly path: string;
  /** True if that is the file that was asked about. */
  readonly here: boolean;
  readonly sha256: string;
  /** Which of the project's downloads, from 0. */
  readonly index: number;
  /** When `prune` was told to remove it, ISO 8601. */
  readonly pruned?: string;
  /** The step kind that made it. */
  readonly uses: string;
  /** The tasks that the result serves. */
  readonly tasks: readonly string[];
  readonly fingerprint: string;
  readonly project?: string;
  /** The state of the job, and when it entered that state. */
  readonly status: JobLine['state'];
  readonly at: string;
  /** How often a creation was begun. */
  readonly attempts: number;
  /** Credits of the last attempt, refund included. */
  readonly credits: number;
  /** Earlier attempts that the service took, or may have. */
  readonly past: readonly PastAttempt[];
  /** The run that sent the last attempt. */
  readonly run?: { readonly number: number; readonly at: string };
  /** Absent if this checkout does not know what the result was made of. */
  readonly origin?: Origin;
}
